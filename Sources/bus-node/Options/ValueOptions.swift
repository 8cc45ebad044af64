import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
import Glibc

/// The values of an option's fields.
struct ValueOptions: ParsableArguments {
    /// The most bytes of a file: the longest value, with a line break.
    private static let fileByteMax = ErrorReport.Limits.valueScalarCount * 4 + 2

    @Option(
        name: .customLong("value"),
        help: "A value that the option asks for, as NAME=VALUE. Repeatable; not for secrets.")
    var values: [String] = []

    @Option(
        name: .customLong("value-file"),
        help: """
            A value from a file, as NAME=PATH; - for standard input. A line break at its end is \
            left out. For secrets, which other users of this machine see among arguments. \
            Repeatable.
            """)
    var files: [String] = []

    var isEmpty: Bool { values.isEmpty && files.isEmpty }

    /// The values as JSON, by name.
    func given(for fields: [ErrorReport.Field]) throws -> [String: JSONValue] {
        var given: [String: JSONValue] = [:]
        for (option, texts) in [("--value", values), ("--value-file", files)] {
            for text in texts {
                let (name, value) = try Self.pair(text, option)
                guard given[name] == nil else {
                    throw Failure(.usage, "\(option): found a second value of \(name.shown())")
                }
                let field = fields.first { $0.name == name }
                if option == "--value", field?.isSecret == true {
                    throw Failure(
                        .usage,
                        "--value: \(name) is a secret, which other users see among arguments; "
                            + "allowed: --value-file \(name)=PATH, or \(name)=- for standard input")
                }
                let read = option == "--value" ? value : try Self.text(of: value)
                given[name] = field?.given(read) ?? .string(read)
            }
        }
        return given
    }

    private static func pair(_ text: String, _ option: String) throws -> (String, String) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            // Not repeated: it may be a secret.
            throw Failure(
                .usage,
                "\(option): found no NAME=, allowed: NAME="
                    + (option == "--value" ? "VALUE" : "PATH"))
        }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    private static func text(of path: String) throws -> String {
        let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let handle else {
            throw Failure(.noInput, "--value-file: \(path): \(String(cString: strerror(errno)))")
        }
        guard let data = try? handle.read(upToCount: fileByteMax + 1) else {
            throw Failure(.noInput, "--value-file: \(path): cannot be read")
        }
        guard data.count <= fileByteMax, var text = String(validating: data, as: UTF8.self) else {
            throw Failure(
                .badData,
                "--value-file: \(path): found "
                    + (data.count > fileByteMax ? "more" : "other bytes")
                    + ", allowed: a text in UTF-8 of at most "
                    + "\(ErrorReport.Limits.valueScalarCount) characters")
        }
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        return text
    }
}
