/// A scanner for secrets that a text shows by their names or forms. It reads each byte a bounded
/// number of times.
struct SecretScanner {
    /// The beginnings of tokens with a form of their own, and the least length of each such token.
    private static let tokens: [(start: [UInt8], byteMin: Int)] =
        [
            ("ghp_", 24), ("gho_", 24), ("ghu_", 24), ("ghs_", 24), ("ghr_", 24),
            ("github_pat_", 30), ("glpat-", 20), ("xoxb-", 16), ("xoxp-", 16), ("xoxa-", 16),
            ("xoxr-", 16), ("xoxs-", 16), ("xapp-", 16), ("sk-", 24), ("sk_live_", 20),
            ("rk_live_", 20), ("npm_", 24), ("pypi-", 24), ("hf_", 24), ("AIza", 35),
            ("dckr_pat_", 24), ("dop_v1_", 24), ("ya29.", 24), ("SG.", 24), ("eyJ", 40),
            ("AKIA", 20), ("ASIA", 20), ("xoxe-", 16), ("xoxe.", 16), ("glrt-", 20), ("hvs.", 24),
            ("GOCSPX-", 24), ("whsec_", 24),
        ].map { (Array($0.0.utf8), $0.1) }
    /// The schemes of HTTP authentication, as a header has them.
    private static let schemes = ["bearer", "basic", "token", "digest", "negotiate"]
        .map { Array($0.utf8) }
    /// The schemes that are recognized without a header, before credentials of this length.
    private static let bareSchemes = schemes.prefix(2)
    private static let credentialByteMin = 16
    /// The beginnings of the addresses of webhooks, after the scheme.
    private static let hooks = ["hooks.slack.com/services/", "discord.com/api/webhooks/"]
        .map { Array($0.utf8) }
    /// The longest password in a URL that is looked for beyond its first slash.
    private static let passwordByteMax = 64
    private static let notSecret = ["null", "nil", "none", "true", "false"].map { Array($0.utf8) }

    private let bytes: [UInt8]
    private var found: [Range<Int>] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The ranges of the secrets, in order of their names.
    mutating func scan() -> [Range<Int>] {
        var position = 0
        while position < bytes.count {
            if bytes[position].isNameByte {
                let end = end(from: position) { $0.isNameByte }
                look(at: position..<end)
                position = end
            } else {
                if bytes[position] == UInt8(ascii: ":") { lookForURL(at: position) }
                position += 1
            }
            // Within a secret there is nothing more to find.
            position = max(position, found.last?.upperBound ?? 0)
        }
        return found
    }

    /// - Parameter run: A run of bytes that names and tokens consist of.
    private mutating func look(at run: Range<Int>) {
        let name = bytes[run]
        if isRandom(name),
            Self.tokens.contains(where: { name.count >= $0.byteMin && name.starts(with: $0.start) })
        {
            found.append(run)
        } else if SecretName.matches(name) {
            lookForValue(of: run)
        } else if Self.bareSchemes.contains(name.map(\.lowercased)) {
            let start = end(from: run.upperBound) { $0.isBlank }
            let end = end(from: start) { $0.isCredentialByte }
            if end - start >= Self.credentialByteMin, isRandom(bytes[start..<end]) {
                found.append(start..<end)
            }
        }
    }

    /// Whether the token has digits, or capitals and small letters mixed, as random texts have.
    private func isRandom(_ token: ArraySlice<UInt8>) -> Bool {
        token.contains(where: \.isDigit)
            || token.dropFirst().contains(where: \.isCapital)
                && token.contains { $0.isLetter && !$0.isCapital }
    }

    /// Looks for the value of a name: `name=VALUE`, `name: VALUE`, `"name": "VALUE"`,
    /// `name => VALUE`, `--name VALUE`.
    private mutating func lookForValue(of name: Range<Int>) {
        let isFlag = bytes[name.lowerBound] == UInt8(ascii: "-")
        var position = end(from: name.upperBound) { $0.isQuoteMark }
        let hasQuote = position > name.upperBound
        position = end(from: position) { $0.isBlank }
        var isColon = false
        switch separator(at: position) {
        case nil where isFlag && !hasQuote && position > name.upperBound: break
        case nil: return
        case let separator?:
            isColon = bytes[position] == UInt8(ascii: ":") && separator == 1 && !hasQuote
            position += separator
        }
        let hasSpace = position < bytes.count && bytes[position].isBlank
        position = end(from: position) { $0.isBlank }
        if position < bytes.count, bytes[position] == UInt8(ascii: "[") {
            return lookForList(at: position, mayBeProse: isColon && hasSpace)
        }
        if SecretName.isHeader(bytes[name]) { return lookForHeader(at: position) }
        guard let value = value(at: position), !isReference(value) else { return }
        if isColon, hasSpace, isProse(value) { return }
        found.append(value)
    }

    /// The length of the separator between name and value; nil without a separator.
    private func separator(at position: Int) -> Int? {
        guard position < bytes.count else { return nil }
        let next = position + 1 < bytes.count ? bytes[position + 1] : 0
        switch bytes[position] {
        case UInt8(ascii: "="): return next == UInt8(ascii: ">") ? 2 : 1
        case UInt8(ascii: ":"): return next == UInt8(ascii: "=") ? 2 : 1
        default: return nil
        }
    }

    /// Looks for the texts and numbers of a list, which may take several lines. An object ends it:
    /// its members have names of their own. So does a sentence, as in
    /// `unexpected token: [ at line 3`, and a word on a further line without a comma before it.
    private mutating func lookForList(at start: Int, mayBeProse: Bool) {
        var (position, depth, isFirst) = (start, 0, true)
        var (follows, isFurtherLine) = (true, false)
        while position < bytes.count, bytes[position] != UInt8(ascii: "{") {
            switch bytes[position] {
            case UInt8(ascii: "["): (depth, follows) = (depth + 1, true)
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): follows = true
            case let byte where byte.isSpace: isFurtherLine = isFurtherLine || byte.isLineBreak
            default:
                let isWord = !bytes[position].isQuoteMark
                let element = element(at: position)
                if isWord, isFurtherLine, !follows { return }
                if isWord, isFirst, mayBeProse, isProse(element) { return }
                (isFirst, follows, isFurtherLine) = (false, false, false)
                if !element.isEmpty, !isReference(element) { found.append(element) }
                // On the quote that closes it, if there is one.
                position = max(element.upperBound, position)
                position = end(from: position) { $0 == UInt8(ascii: "\\") }
                if position == bytes.count || !bytes[position].isQuote { continue }
            }
            if depth == 0 { return }
            position += 1
        }
    }

    /// The range of one element of a list.
    private func element(at start: Int) -> Range<Int> {
        let opening = end(from: start) { $0 == UInt8(ascii: "\\") }
        if opening < bytes.count, bytes[opening].isQuote {
            return opening + 1..<quotedEnd(opening, after: opening - start)
        }
        let bare = end(from: start) {
            !$0.isSpace && !$0.isQuote && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "]")
        }
        return start..<bare
    }

    /// Looks for the value of a header: the rest of the line or of the quoted text, after the
    /// scheme.
    private mutating func lookForHeader(at position: Int) {
        let opening = end(from: position) { $0 == UInt8(ascii: "\\") }
        let isQuoted = opening < bytes.count && bytes[opening].isQuote
        var start = isQuoted ? opening + 1 : position
        let afterScheme = end(from: start) { $0.isNameByte }
        let scheme = bytes[start..<afterScheme].map(\.lowercased)
        if Self.schemes.contains(scheme) { start = end(from: afterScheme) { $0.isBlank } }
        let end =
            isQuoted
            ? quotedEnd(opening, after: opening - position)
            : headerEnd(from: start, hasFields: !Self.bareSchemes.contains(scheme))
        if start < end { found.append(start..<end) }
    }

    /// The end of a header that is not quoted by itself: at the end of the line or at a quote,
    /// unless the quote begins the value of a field, as in `Digest response="VALUE"`.
    private func headerEnd(from start: Int, hasFields: Bool) -> Int {
        var position = start
        while position < bytes.count, !bytes[position].isLineBreak {
            guard bytes[position].isQuote else {
                position += 1
                continue
            }
            var first = position
            while first > start, bytes[first - 1] == UInt8(ascii: "\\") { first -= 1 }
            guard hasFields, first > start, bytes[first - 1] == UInt8(ascii: "=") else {
                return first
            }
            let backslashCount = position - first
            let last = quotedEnd(position, after: backslashCount)
            let isClosed = last < bytes.count && !bytes[last].isLineBreak
            position = isClosed ? last + backslashCount + 1 : last
        }
        return position
    }

    /// The range of a value: the text between quotes on one line, or up to a space or a mark that
    /// ends it.
    private func value(at start: Int) -> Range<Int>? {
        let opening = end(from: start) { $0 == UInt8(ascii: "\\") }
        if opening < bytes.count, bytes[opening].isQuote {
            let value = opening + 1..<quotedEnd(opening, after: opening - start)
            return value.isEmpty ? nil : value
        }
        guard start < bytes.count, !bytes[start].opensMany else { return nil }
        let end = unquotedEnd(from: start)
        return start < end ? start..<end : nil
    }

    /// The end of a quoted text, before the backslashes of the quote that closes it, or the end of
    /// the line. A quote within the text has other backslashes before it than the opening one: `\"`
    /// in `"`, and `\\\"` in `\"`.
    private func quotedEnd(_ opening: Int, after backslashCount: Int) -> Int {
        var (position, count) = (opening + 1, 0)
        while position < bytes.count, !bytes[position].isLineBreak {
            if bytes[position] == bytes[opening],
                count % (2 * (backslashCount + 1)) == backslashCount
            {
                return position - backslashCount
            }
            count = bytes[position] == UInt8(ascii: "\\") ? count + 1 : 0
            position += 1
        }
        return position
    }

    /// The end of a value without quotes: at a space or a quote, or at a mark such as a comma, but
    /// only if another name or nothing follows the mark. Secrets have such marks in them.
    private func unquotedEnd(from first: Int) -> Int {
        var end = end(from: first) { !$0.isSpace && !$0.isQuote && !$0.endsValue }
        // Of the text before the first mark alone: each byte is read a bounded number of times.
        if end > first, isReference(first..<end) { return end }
        while true {
            let next = self.end(from: end, \.endsValue)
            if next == end { return end }
            if next == bytes.count || bytes[next].isSpace || bytes[next].isQuote { return end }
            let name = self.end(from: next) { $0.isNameByte }
            if name > next, separator(at: self.end(from: name, \.isQuoteMark)) != nil { return end }
            end = self.end(from: next) { !$0.isSpace && !$0.isQuote && !$0.endsValue }
        }
    }

    /// The range of the value of a word of a command, `NAME=VALUE` or `--name=VALUE` with the name
    /// of a secret: the rest of the word, whatever it contains.
    static func value(ofWord word: [UInt8]) -> Range<Int>? {
        guard let end = word.firstIndex(where: { !$0.isNameByte }),
            word[end] == UInt8(ascii: "="), end + 1 < word.count, SecretName.matches(word[..<end])
        else { return nil }
        let value = end + 1..<word.count
        return SecretScanner(word).isReference(value) ? nil : value
    }

    /// Whether the value only refers to a secret, as `$PASSWORD` and `${TOKEN}` do, or says that
    /// there is none.
    private func isReference(_ value: Range<Int>) -> Bool {
        bytes[value].refersToVariable
            || Self.notSecret.contains(bytes[value].map(\.lowercased))
    }

    /// Whether the value goes on as a sentence, as in `token: expired yesterday`: a word of
    /// letters, and another after it.
    private func isProse(_ value: Range<Int>) -> Bool {
        guard bytes[value].allSatisfy(\.isLetter) else { return false }
        let next = end(from: value.upperBound) { $0.isBlank }
        return next > value.upperBound && next < bytes.count && bytes[next].isLetter
    }

    /// Looks for the password in `://USER:PASSWORD@HOST`, and for the path of a webhook, which is
    /// its secret.
    private mutating func lookForURL(at position: Int) {
        guard bytes[position...].starts(with: [0x3A, 0x2F, 0x2F]) else { return }
        let start = position + 3
        if let hook = Self.hooks.first(where: { bytes[start...].starts(with: $0) }) {
            let path = start + hook.count
            let end = end(from: path) { !$0.isSpace && !$0.endsURL }
            if path < end { found.append(path..<end) }
            return
        }
        let end = end(from: start) { !$0.isSpace && !$0.endsAuthority }
        guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else {
            return lookForSlashedPassword(in: start..<end)
        }
        guard let colon = bytes[start..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
        else { return }
        found.append(colon + 1..<at)
    }

    /// Looks for a password that should have been encoded: one with a slash, `?` or `#`, which
    /// programs refuse with the whole URL. What follows the colon is no port then.
    private mutating func lookForSlashedPassword(in authority: Range<Int>) {
        guard let colon = bytes[authority].firstIndex(of: UInt8(ascii: ":")),
            bytes[authority.lowerBound] != UInt8(ascii: "["),
            !bytes[(colon + 1)..<authority.upperBound].allSatisfy(\.isDigit),
            !isReference(colon + 1..<authority.upperBound)
        else { return }
        let rest = bytes[authority.upperBound...].prefix(Self.passwordByteMax)
            .prefix { !$0.isSpace && !$0.endsURL }
        if let at = rest.firstIndex(of: UInt8(ascii: "@")) { found.append(colon + 1..<at) }
    }

    private func end(from start: Int, _ isPart: (UInt8) -> Bool) -> Int {
        var end = start
        while end < bytes.count, isPart(bytes[end]) { end += 1 }
        return end
    }
}

extension [UInt8] {
    /// The places of `part`, without overlaps. Quick if its first byte is rare.
    func places(of part: [UInt8]) -> [Range<Int>] {
        guard let first = part.first else { return [] }
        var places: [Range<Int>] = []
        var position = 0
        while position + part.count <= count {
            if self[position] == first, self[position...].starts(with: part) {
                places.append(position..<position + part.count)
                position += part.count
            } else {
                position += 1
            }
        }
        return places
    }
}

extension ArraySlice<UInt8> {
    /// Whether the text is `$NAME` or `${NAME}`, in quotes or without.
    var refersToVariable: Bool {
        let word = drop(while: \.isQuote)
        return word.first == UInt8(ascii: "$") && word.count > 1
            && word.dropFirst().allSatisfy {
                $0.isNameByte || $0.isQuote || $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}")
            }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased)
    }

    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte begins an array or an object, whose members have names of their own.
    fileprivate var opensMany: Bool { self == UInt8(ascii: "{") || self == UInt8(ascii: "[") }

    fileprivate var isNameByte: Bool {
        isLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
            || self == UInt8(ascii: ".")
    }

    fileprivate var isCredentialByte: Bool {
        isNameByte || self == UInt8(ascii: "~") || self == UInt8(ascii: "+")
            || self == UInt8(ascii: "/") || self == UInt8(ascii: "=")
    }

    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }

    /// Whether the byte is a quote, or the backslash that escapes a quote.
    fileprivate var isQuoteMark: Bool { isQuote || self == UInt8(ascii: "\\") }

    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }

    fileprivate var isLineBreak: Bool { self == 0x0A || self == 0x0D }

    fileprivate var endsValue: Bool {
        [
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"),
        ].contains(self)
    }

    fileprivate var endsAuthority: Bool {
        endsURL || [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(self)
    }

    fileprivate var endsURL: Bool {
        isQuote || [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`")].contains(self)
    }
}
