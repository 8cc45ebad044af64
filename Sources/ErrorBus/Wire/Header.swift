/// The fields of a message: `name: value` lines, each name at most once. Names that a verb does
/// not use are kept, so that relays can pass them on.
struct Header: Hashable, Sendable {
    struct Field: Hashable, Sendable {
        let name: String
        let value: String
    }

    private(set) var fields: [Field] = []

    init() {}

    /// Reads a header frame. Total: any bytes give a header or a refusal.
    init(_ frame: Frame, limits: WireLimits = .standard) throws(WireError) {
        guard frame.count <= limits.headerByteCountMax else {
            throw WireError(
                .tooLarge,
                "header of \(frame.count) bytes; at most \(limits.headerByteCountMax) are allowed")
        }
        guard let text = String(validating: frame, as: UTF8.self) else {
            throw WireError(.malformed, "header is not UTF-8")
        }
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count <= WireLimits.headerFieldCountMax else {
            throw WireError(
                .malformed,
                "header of \(lines.count) fields; at most \(WireLimits.headerFieldCountMax)")
        }
        for (index, line) in lines.enumerated() {
            try append(line: Substring(line), number: index + 1)
        }
    }

    private mutating func append(line: Substring, number: Int) throws(WireError) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw WireError(.malformed, "header line \(number) has no colon")
        }
        let name = line[..<colon]
        guard Self.isName(name.utf8) else {
            throw WireError(
                .malformed,
                "header line \(number): a name is a-z, 0-9 and -, begins with a letter and has "
                    + "at most \(WireLimits.fieldNameByteCountMax) characters")
        }
        let value = line[line.utf8.index(after: colon)...].trimmingSpaces
        guard !value.unicodeScalars.contains(where: \.isControl) else {
            throw WireError(.malformed, "header field \(name) holds a control character")
        }
        guard self[String(name)] == nil else {
            throw WireError(.malformed, "header field \(name) stands twice")
        }
        fields.append(Field(name: String(name), value: value))
    }

    private static func isName(_ bytes: Substring.UTF8View) -> Bool {
        guard let first = bytes.first, bytes.count <= WireLimits.fieldNameByteCountMax else {
            return false
        }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
            && bytes.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// Adds a field whose value is fit for one already (free text: ``Swift/String/asHeaderText``).
    mutating func append(_ name: String, _ value: String?) {
        guard let value else { return }
        fields.append(Field(name: name, value: value))
    }

    mutating func append(_ name: String, _ value: UInt64?) {
        append(name, value.map(String.init))
    }

    /// The fields no verb's reader has a name for.
    func unknown(besides known: [String]) -> [Field] {
        fields.filter { !known.contains($0.name) }
    }

    mutating func append(_ others: [Field]) { fields += others }

    var byteCount: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
    }

    var frame: Frame {
        var bytes: Frame = []
        for field in fields {
            bytes += field.name.utf8
            bytes += ": ".utf8
            bytes += field.value.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}

extension String {
    /// Free text made fit for a field: no control characters, no more than the limit.
    var asHeaderText: String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(WireLimits.textScalarCountMax) {
            text.append(scalar.isControl ? " " : scalar)
        }
        return Substring(String(text)).trimmingSpaces
    }
}
