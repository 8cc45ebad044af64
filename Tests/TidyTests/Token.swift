/// A word or a single character of code, and where it stands.
struct Token {
    let text: String
    /// From 1.
    let line: Int
    let isWord: Bool

    /// The tokens of a text that ``CodeOnly`` has cleaned. `@name` and `#name` are one word.
    static func all(in code: String) -> [Token] {
        var tokens: [Token] = []
        var word: [UInt8] = []
        var line = 1
        func endWord() {
            guard !word.isEmpty else { return }
            tokens.append(
                Token(text: String(decoding: word, as: UTF8.self), line: line, isWord: true))
            word = []
        }
        for byte in code.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                word.append(byte)
            case UInt8(ascii: "@"), UInt8(ascii: "#"):
                endWord()
                word.append(byte)
            default:
                endWord()
                if byte == UInt8(ascii: "\n") {
                    line += 1
                } else if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\t") {
                    let text = String(decoding: [byte], as: UTF8.self)
                    tokens.append(Token(text: text, line: line, isWord: false))
                }
            }
        }
        endWord()
        return tokens
    }
}
