import ErrorBus
import Foundation
import Glibc

/// A secret in a file: the token that every client of a console shows, or the key that a hook signs
/// with.
package struct ConsoleToken: Sendable {
    static let allowed = "16 to 256 characters of A-Z a-z 0-9 . _ ~ + / = -"
    private static let countRange = 16...256

    package let text: String
    /// The file of the token; nil if the token was made for this run.
    let file: String?

    /// A new token that cannot be guessed.
    static func generated() -> ConsoleToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return ConsoleToken(text: Data(bytes).base64URL, file: nil)
    }

    private init(text: String, file: String?) {
        self.text = text
        self.file = file
    }

    /// Reads a file of one line that only its owner may read or write.
    package init(file: String) throws(Failure) {
        do throws(FileRefusal) {
            try self.init(reading: file)
        } catch {
            throw Failure(error.status, "console token \(file): \(error.text)")
        }
    }

    /// Reads the same, for callers whose messages name the file themselves.
    init(reading file: String) throws(FileRefusal) {
        let text = try PrivateFile.text(of: file, byteCountMax: 1_024)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard Self.countRange.contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed)
        else {
            throw FileRefusal(
                status: .badConfiguration, found: "\(text.utf8.count) bytes",
                allowed: Self.allowed)
        }
        self.init(text: text, file: file)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "._~+/=-".utf8.contains(byte)
        }
    }

    /// A text for the log, without the token.
    func hidden(in text: String) -> String { text.replacing(self.text, with: "TOKEN") }

    /// Whether a text is the token. Takes a time that depends only on the length.
    func matches(_ other: some StringProtocol) -> Bool {
        let own = Array(text.utf8)
        let given = Array(other.utf8)
        var difference: UInt8 = own.count == given.count ? 0 : 1
        for (index, byte) in given.enumerated() { difference |= byte ^ own[index % own.count] }
        return difference == 0
    }
}

// Base64 with the alphabet for addresses, without padding (RFC 4648, 5).
extension Data {
    var base64URL: String {
        base64EncodedString().replacingScalars(["+": "-", "/": "_", "=": ""])
    }

    /// The bytes of a text in base64url; nil for anything else.
    init?(base64URL text: some StringProtocol) {
        let base64 = String(text).replacingScalars(["-": "+", "_": "/"])
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        self.init(base64Encoded: base64 + padding)
    }
}
