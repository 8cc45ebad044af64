import ErrorBus

/// The decoder of a terminal's bytes into keys. A sequence may come in pieces; a single Esc differs
/// from the beginning of one by the pause after it.
struct KeyDecoder {
    /// The pause after which a sequence is over.
    static let pause: Duration = .milliseconds(40)
    /// The longest sequence that a keyboard sends.
    private static let sequenceByteMax = 32
    /// The longest paste: more than the longest value of an option, so that a longer value is found
    /// to be too long.
    private static let pasteByteMax = 4 * (ErrorReport.Limits.valueScalarCount + 1)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private var bytes: [UInt8] = []
    private var paste: [UInt8]?

    /// Whether the decoder needs more input, or a pause.
    var isWaiting: Bool { !bytes.isEmpty }

    mutating func take(_ input: some Sequence<UInt8>) -> [ScreenKey] {
        var keys: [ScreenKey] = []
        for byte in input {
            if paste != nil {
                if let text = takePasted(byte) { keys.append(.paste(text)) }
            } else {
                bytes.append(byte)
                while let key = next() { if key != .other { keys.append(key) } }
            }
        }
        return keys
    }

    /// Notes that no input came for `pause`; returns the keys that are over.
    mutating func paused() -> [ScreenKey] {
        defer { bytes.removeAll() }
        return bytes == [0x1B] ? [.escape] : []
    }

    private mutating func takePasted(_ byte: UInt8) -> String? {
        // Taken out: each byte would copy an array that `paste` has as well.
        guard var text = paste.take() else { return nil }
        text.append(byte)
        guard byte == Self.pasteEnd.last,
            text.suffix(Self.pasteEnd.count) == Self.pasteEnd[...]
        else {
            // Of a long paste the beginning is kept, and enough to detect its end.
            if text.count > 2 * Self.pasteByteMax {
                text.removeSubrange(Self.pasteByteMax..<(text.count - Self.pasteEnd.count))
            }
            paste = text
            return nil
        }
        let pasted = text.dropLast(Self.pasteEnd.count).prefix(Self.pasteByteMax)
        // Terminals send a carriage return for each line break.
        let lines = pasted.split(separator: 0x0D, omittingEmptySubsequences: false)
            .enumerated().map { $0 > 0 && $1.first == 0x0A ? $1.dropFirst() : $1 }
        return String(decoding: Array(lines.joined(separator: [0x0A])), as: UTF8.self)
    }

    /// The first key of the input, once it is complete.
    private mutating func next() -> ScreenKey? {
        guard let first = bytes.first else { return nil }
        if first == 0x1B { return escaped() }
        if first < 0x80 {
            bytes.removeFirst()
            return Self.single(first)
        }
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
        // An interrupted character is dropped.
        if let stray = bytes.prefix(count).dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) {
            bytes.removeFirst(stray)
            return .other
        }
        guard bytes.count >= count else { return nil }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        bytes.removeFirst(count)
        guard count > 1, let character = text.first, character != "\u{FFFD}" else { return .other }
        return .character(character)
    }

    private static func single(_ byte: UInt8) -> ScreenKey {
        switch byte {
        case 0x0D, 0x0A: .enter
        case 0x09: .tab
        case 0x7F, 0x08: .backspace
        case 0x00: .other
        case ..<0x1B: .control(Character(Unicode.Scalar(byte + 0x60)))
        case ..<0x20: .other
        default: .character(Character(Unicode.Scalar(byte)))
        }
    }

    /// The key of `ESC [ ... letter`, `ESC [ [ letter` and `ESC O letter`.
    private mutating func escaped() -> ScreenKey? {
        guard bytes.count > 1 else { return nil }
        if bytes[1] == 0x1B {
            bytes.removeFirst()
            return .escape
        }
        guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else {
            // Alt and a key.
            bytes.removeFirst(2)
            return .other
        }
        // Of F1, the console of Linux sends `ESC [ [ A`.
        let start = bytes[1...].starts(with: "[[".utf8) ? 3 : 2
        guard let last = bytes[start...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            if bytes.count > Self.sequenceByteMax { bytes.removeAll() }
            return nil
        }
        let sequence = String(decoding: bytes[2...last], as: UTF8.self)
        bytes.removeFirst(last + 1)
        if sequence == "200~" {
            paste = []
            return .other
        }
        return Self.sequences[sequence] ?? .other
    }

    private static let sequences: [String: ScreenKey] = [
        "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "Z": .backTab,
        "1~": .home, "7~": .home, "4~": .end, "8~": .end, "5~": .pageUp, "6~": .pageDown,
        "M": .enter,
    ]
}

/// A key press.
enum ScreenKey: Hashable, Sendable {
    case character(Character)
    case control(Character)
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, tab, backTab, escape, backspace
    /// Text from a clipboard, which presses no keys.
    case paste(String)
    /// A key without a meaning here.
    case other
}
