import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// One of the files that belong to docs/wire.md: a message after its envelope, and what becomes
/// of it.
struct GoldenFile: CustomTestStringConvertible, Sendable {
    enum Expectation: Hashable {
        case ok, bare
        case reject(UInt16)
    }

    struct Unreadable: Error {
        let file: String
        let line: String
    }

    let name: String
    var isUp = true
    var isCanonical = true
    var expectation = Expectation.ok
    var frames: [Frame] = []

    var testDescription: String { name }

    init(name: String, text: String) throws {
        self.name = name
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            if frames.isEmpty, line.hasPrefix("#") { continue }
            if line.hasPrefix("    "), !frames.isEmpty {
                frames[frames.count - 1] += Array(line.dropFirst(4).utf8) + [0x0A]
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            let value = parts.count == 2 ? String(parts[1].dropFirst()) : ""
            let words = parts[0].split(separator: " ")
            switch (words.first, words.count) {
            case ("direction", 1): isUp = value == "up"
            case ("canonical", 1): isCanonical = value != "no"
            case ("expect", 1) where value == "ok": expectation = .ok
            case ("expect", 1) where value == "bare": expectation = .bare
            case ("expect", 1):
                guard let code = UInt16(value.dropFirst("reject ".count)) else { fallthrough }
                expectation = .reject(code)
            case ("frame", 2): frames.append(Array(value.utf8))
            case ("frame", 3):
                frames.append(value.split(separator: " ").compactMap { UInt8($0, radix: 16) })
            case ("frame", 4):
                let text = Array(value.utf8)
                frames.append((0..<(Int(words[3]) ?? 0)).flatMap { _ in text })
            default: throw Unreadable(file: name, line: String(line))
            }
        }
    }

    static func all() throws -> [GoldenFile] {
        guard let folder = Bundle.module.url(forResource: "Golden", withExtension: nil) else {
            throw Unreadable(file: "Golden", line: "the folder is missing")
        }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".txt") }
            .map { name in
                let file = folder.appendingPathComponent(name)
                return try GoldenFile(name: name, text: String(contentsOf: file, encoding: .utf8))
            }
    }
}
