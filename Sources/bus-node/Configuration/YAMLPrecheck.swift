/// Bounds what the YAML parser is made to do, before it sees the text.
///
/// Yams builds aliases into full trees and hashes every key, so a few lines of aliases of
/// aliases (the "billion laughs") would keep it busy for years before anything could be counted.
/// So the worst that the anchors and aliases in the text could become is worked out first: n
/// aliases of one anchor make nothing larger than n + 1 times. Quotes and comments are not told
/// from the rest, which makes the result too high at times and never too low.
struct YAMLPrecheck {
    /// How far a text may grow by its aliases, in bytes.
    static let expandedByteCountMax = 4 * 1024 * 1024

    fileprivate struct Uses {
        var anchors = 0
        var aliases = 0
    }

    private var uses: [Substring: Uses] = [:]
    private let byteCount: Int
    /// The line of the last alias, from 1.
    private(set) var lineOfLastAlias = 1

    init(_ text: String) {
        byteCount = text.utf8.count
        var line = 1
        var rest = text[...]
        while let index = rest.utf8.firstIndex(where: { [0x0A, 0x26, 0x2A].contains($0) }) {
            let byte = rest.utf8[index]
            rest = rest[rest.utf8.index(after: index)...]
            guard byte != 0x0A else {
                line += 1
                continue
            }
            let name = Substring(rest.utf8.prefix(while: Self.isNameByte))
            if name.isEmpty { continue }
            if byte == 0x26 {
                uses[name, default: Uses()].anchors += 1
            } else {
                uses[name, default: Uses()].aliases += 1
                lineOfLastAlias = line
            }
        }
    }

    /// Whether the text cannot grow beyond the limit.
    var isBounded: Bool {
        var size = Double(byteCount)
        for use in uses.values where use.anchors > 0 {
            // An anchor may be set again: the worst is aliases shared out evenly.
            for _ in 0..<min(use.anchors, 64) {
                size *= Double(use.aliases) / Double(use.anchors) + 1
            }
            if use.anchors > 64, use.aliases > 0 { return false }
        }
        return size <= Double(Self.expandedByteCountMax) || uses.values.allSatisfy(\.isHarmless)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x2D: true
        default: false
        }
    }
}

extension YAMLPrecheck.Uses {
    /// Without an anchor an alias is an error, without an alias an anchor is a decoration.
    fileprivate var isHarmless: Bool { anchors == 0 || aliases == 0 }
}
