/// The places of secrets in the words of a command: after a flag with a secret's name, and at the
/// passwords of programs with a form of their own.
enum CommandSecrets {
    /// A form in which programs take passwords.
    private enum Form {
        /// The word after the flag is the password, `-a PASSWORD`.
        case next
        /// The flag's own word has the password, `-pPASSWORD`.
        case attached
        /// The flag's own word has the password, or else the next one, `-wPASSWORD`.
        case attachedOrNext
        /// The next word has the password after its colon, `-u USER:PASSWORD`.
        case afterColon
    }

    /// - `switches`: The letters that may come before the flag's own one, as in `curl -sSu`.
    private static let forms:
        [(programs: [String], flags: [String], form: Form, switches: String)] = [
            (
                ["curl"], ["-u", "--user", "-U", "--proxy-user"], .afterColon,
                "#0123456BGIJLNORSVZafgijklnpqsv"
            ),
            (
                ["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump"],
                ["-p"], .attached, "BCNfnqstvw"
            ),
            (["sshpass"], ["-p"], .attachedOrNext, "v"),
            (["mongosh", "mongodump", "mongorestore"], ["-p"], .attachedOrNext, "v"),
            (["redis-cli"], ["-a", "--pass"], .next, ""),
            (["curl"], ["--oauth2-bearer"], .next, ""),
            (["openssl"], ["-pass", "-passin", "-passout"], .afterColon, ""),
            (
                ["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete"], ["-w"], .attachedOrNext,
                "ACLMNQZacnrtuvx"
            ),
            (["sqlcmd"], ["-P"], .attachedOrNext, ""),
        ]

    /// The ranges to mask in each word, in the words' own indices.
    static func ranges(in words: [ArraySlice<UInt8>]) -> [[Range<Int>]] {
        var ranges = [[Range<Int>]](repeating: [], count: words.count)
        var program = ""
        for (index, word) in words.enumerated() {
            if let name = programName(word) { program = name }
            guard word.first == UInt8(ascii: "-") else { continue }
            let following = index + 1 < words.count ? words[index + 1] : nil
            if isNamedFlag(word), let following, !following.starts(with: "--".utf8) {
                ranges[index + 1] += whole(following)
            }
            for entry in forms where entry.programs.contains(program) {
                for flag in entry.flags {
                    guard let rest = rest(of: word, after: flag, behind: entry.switches) else {
                        continue
                    }
                    switch entry.form {
                    case .attached: ranges[index] += whole(rest)
                    case .attachedOrNext where !rest.isEmpty: ranges[index] += whole(rest)
                    case .next where rest.isEmpty, .attachedOrNext:
                        if let following { ranges[index + 1] += whole(following) }
                    case .next: break
                    case .afterColon where rest.isEmpty:
                        if let following { ranges[index + 1] += afterColon(following) }
                    case .afterColon: ranges[index] += afterColon(rest)
                    }
                }
            }
        }
        return ranges
    }

    /// What follows a flag in its word; nil if the word does not begin with the flag, or with
    /// switches and the flag's letter.
    private static func rest(
        of word: ArraySlice<UInt8>, after flag: String, behind switches: String
    ) -> ArraySlice<UInt8>? {
        if word.starts(with: flag.utf8) { return word.dropFirst(flag.utf8.count) }
        let letters = word.dropFirst().drop { switches.utf8.contains($0) }
        guard flag.utf8.count == 2, letters.first == flag.utf8.last else { return nil }
        return letters.dropFirst()
    }

    /// Whether the word is a flag of a secret's name, with the value in a word of its own.
    private static func isNamedFlag(_ word: ArraySlice<UInt8>) -> Bool {
        SecretName.matches(word) && !word.contains(UInt8(ascii: "="))
    }

    private static func afterColon(_ word: ArraySlice<UInt8>) -> [Range<Int>] {
        word.firstIndex(of: UInt8(ascii: ":")).map { whole(word[($0 + 1)...]) } ?? []
    }

    /// The whole word, unless it is empty or refers to a variable.
    private static func whole(_ word: ArraySlice<UInt8>) -> [Range<Int>] {
        word.isEmpty || word.refersToVariable ? [] : [word.startIndex..<word.endIndex]
    }

    /// The program that a word names, if the program's passwords have a form of their own.
    private static func programName(_ word: ArraySlice<UInt8>) -> String? {
        let name = word.split(separator: UInt8(ascii: "/")).last ?? []
        return forms.lazy.flatMap(\.programs).first { name.elementsEqual($0.utf8) }
    }
}
