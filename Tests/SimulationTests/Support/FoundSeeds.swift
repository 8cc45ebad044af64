import Foundation

/// Reads `found-seeds.txt`: one seed a line, then what it showed.
enum FoundSeeds {
    struct Unreadable: Error {
        let line: String
    }

    static func all() throws -> [UInt64] {
        guard let url = Bundle.module.url(forResource: "found-seeds", withExtension: "txt") else {
            throw Unreadable(line: "found-seeds.txt is missing")
        }
        let text = try String(contentsOf: url, encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            guard let seed = line.split(separator: " ").first.flatMap({ UInt64($0) }) else {
                throw Unreadable(line: String(line))
            }
            return seed
        }
    }
}
