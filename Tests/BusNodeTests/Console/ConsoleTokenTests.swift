import Foundation
import Testing

@testable import BusNodeKit

struct ConsoleTokenTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ text: String, mode: Int = 0o600) throws -> String {
        let path = try folder.write(text, to: "token")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test("Read from a file that only its owner can read, without surrounding white space")
    func read() throws {
        let token = try ConsoleToken(file: file("0123456789abcdef\n"))
        #expect(token.text == "0123456789abcdef")
        #expect(token.matches("0123456789abcdef"))
    }

    @Test(
        "A file with rights for other users is refused", arguments: [0o640, 0o604, 0o660, 0o602])
    func mode(mode: Int) throws {
        let path = try file("0123456789abcdef", mode: mode)
        #expect {
            _ = try ConsoleToken(file: path)
        } throws: { error in
            (error as? Failure)?.status == .badConfiguration
                && (error as? Failure)?.text.contains("allowed: 0600") == true
        }
    }

    @Test(
        "A token that is too short, too long or invalid is refused",
        arguments: [
            "", "short", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef;x",
            "0123456789abcdé0", String(repeating: "x", count: 257),
            "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        ])
    func text(text: String) throws {
        let path = try file(text)
        #expect {
            _ = try ConsoleToken(file: path)
        } throws: { error in
            (error as? Failure)?.text.contains("16 to 256") == true
        }
    }

    @Test("A missing file, a folder and a pipe are rejected, without waiting for the pipe")
    func kinds() throws {
        let pipe = "\(folder.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in ["\(folder.path)/none", folder.path, pipe] {
            #expect {
                _ = try ConsoleToken(file: path)
            } throws: { error in
                (error as? Failure)?.status == .noInput
            }
        }
    }

    @Test("Generated tokens differ, and only the whole of one matches")
    func generated() {
        let token = ConsoleToken.generated()
        #expect(token.text != ConsoleToken.generated().text)
        #expect(token.text.count == 43)
        #expect(token.matches(token.text))
        for other in ["", String(token.text.dropLast()), token.text + token.text, "x"] {
            #expect(!token.matches(other))
        }
    }
}
