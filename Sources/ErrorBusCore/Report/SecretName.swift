/// The names of fields, variables, headers and flags whose values are secrets.
enum SecretName {
    /// The ends of such names, in small letters without separators: `AWS_SECRET_ACCESS_KEY`,
    /// `clientSecret` and `--api-key` end so, `token_type` and `PASSWORD_FILE` do not.
    private static let ends = [
        "password", "passwd", "passphrase", "secret", "token", "credential", "credentials",
        "authorization", "cookie", "apikey", "accesskey", "secretkey", "privatekey", "authkey",
        "encryptionkey", "signingkey", "masterkey", "accountkey", "sharedkey", "passwords",
        "passphrases", "secrets", "cookies", "apikeys", "privatekeys", "sessionkey", "sessionid",
        "secretkeybase", "amzsignature",
    ].map(letters)
    /// The last words of such names after another word: `DB_PASS` and `dbPwd`, but neither
    /// `pass: 3` nor `PWD`, the current directory.
    private static let lastWords = ["pass", "pwd"].map(letters)
    /// The headers among these ends.
    private static let headers = ["authorization", "cookie"].map(letters)

    static func matches(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        let letters = letters(of: name)
        if ends.contains(where: letters.ends) { return true }
        return lastWords.contains { word in
            guard letters.ends(with: word), let start = name.suffix(word.count).first,
                let before = name.dropLast(word.count).last
            else { return false }
            return before.isNameSeparator && letters.count > word.count
                || start.isCapital && !before.isCapital
        }
    }

    /// Whether the value of a header of this name goes up to the end of the line.
    static func isHeader(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        headers.contains(where: letters(of: name).ends)
    }

    private static func letters(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func letters(of name: some Sequence<UInt8>) -> [UInt8] {
        name.compactMap { $0.isNameSeparator ? nil : $0.lowercased }
    }
}

extension UInt8 {
    /// The byte in lower case, for letters of ASCII.
    package var lowercased: UInt8 { isCapital ? self + 0x20 : self }

    var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }

    fileprivate var isNameSeparator: Bool {
        self == UInt8(ascii: "_") || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}

extension [UInt8] {
    fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
