/// Puts lines together from what was read. A line beyond the limit is left out as a whole: half of
/// it could mean something else.
struct LineBuffer {
    private let byteCountMax: Int
    private var bytes: [UInt8] = []
    private var isTooLong = false

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// The lines that are complete now, without their ends.
    mutating func take(_ input: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in input {
            if byte == UInt8(ascii: "\n") {
                if let line = end(evenEmpty: true) { lines.append(line) }
            } else if bytes.count < byteCountMax {
                bytes.append(byte)
            } else {
                isTooLong = true
            }
        }
        return lines
    }

    /// The last line, where it has no end.
    mutating func end() -> String? { end(evenEmpty: false) }

    private mutating func end(evenEmpty: Bool) -> String? {
        defer {
            bytes.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        guard !isTooLong, evenEmpty || !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
