/// The fields of a message: `name: value` lines, each name at most once. Names that a verb does
/// not use are kept, so that relays can pass them on.
package struct Header: Hashable, Sendable {
    /// The number of fields that most messages have at most.
    private static let usualFieldCount = 8

    package struct Field: Hashable, Sendable {
        let name: String
        let value: String
    }

    private(set) var fields: [Field] = []

    /// A header to write.
    init() { fields.reserveCapacity(Self.usualFieldCount) }

    /// Reads a header frame. Any bytes give a header or a refusal.
    init(_ frame: Frame, limits: WireLimits = .standard) throws(WireError) {
        guard frame.count <= limits.headerByteCountMax else {
            throw WireError(
                .tooLarge,
                "header of \(frame.count) bytes; at most \(limits.headerByteCountMax) are allowed")
        }
        guard frame.allSatisfy({ $0 < 0x80 }) || String(validating: frame, as: UTF8.self) != nil
        else {
            throw WireError(.malformed, "header is not UTF-8")
        }
        let newline = UInt8(ascii: "\n")
        let isCut = frame.last.map { $0 != newline } ?? false
        let lineCount = frame.count { $0 == newline } + (isCut ? 1 : 0)
        guard lineCount <= WireLimits.headerFieldCountMax else {
            throw WireError(
                .malformed,
                "header of \(lineCount) fields; at most \(WireLimits.headerFieldCountMax)")
        }
        fields.reserveCapacity(lineCount)
        var rest = frame[...]
        for number in 0..<lineCount {
            let line = rest.prefix { $0 != newline }
            try append(line: line, number: number + 1)
            rest = rest[line.endIndex...].dropFirst()
        }
    }

    private mutating func append(line: Frame.SubSequence, number: Int) throws(WireError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw WireError(.malformed, "header line \(number) has no colon")
        }
        guard Self.isName(line[..<colon]) else {
            throw WireError(
                .malformed,
                "header line \(number): a name is a-z, 0-9 and -, begins with a letter and has "
                    + "at most \(WireLimits.fieldNameByteCountMax) characters")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = line[(colon + 1)...].trimmingSpaces
        guard !value.hasControl else {
            throw WireError(.malformed, "header field \(name) holds a control character")
        }
        guard self[name] == nil else {
            throw WireError(.malformed, "header field \(name) appears twice")
        }
        fields.append(Field(name: name, value: String(decoding: value, as: UTF8.self)))
    }

    private static func isName(_ bytes: Frame.SubSequence) -> Bool {
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

    /// Adds a field with a valid value (free text: ``Swift/String/asHeaderText``).
    mutating func append(_ name: String, _ value: String?) {
        guard let value else { return }
        fields.append(Field(name: name, value: value))
    }

    mutating func append(_ name: String, _ value: UInt64?) {
        append(name, value.map(String.init))
    }

    /// The fields that no reader of this verb names.
    func unknown(besides known: [String]) -> [Field] {
        fields.filter { !known.contains($0.name) }
    }

    mutating func append(_ others: [Field]) { fields += others }

    var byteCount: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
    }

    var frame: Frame {
        var bytes: Frame = []
        bytes.reserveCapacity(byteCount)
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
    /// Whether the scalar is a control character: C0, DEL or C1.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}

extension Collection<UInt8> {
    /// Whether UTF-8 holds a control character. C1 is 0xC2 and a byte below 0xA0.
    fileprivate var hasControl: Bool {
        var before: UInt8 = 0
        for byte in self {
            if byte < 0x20 || byte == 0x7F || before == 0xC2 && byte < 0xA0 { return true }
            before = byte
        }
        return false
    }
}

extension BidirectionalCollection<UInt8> where SubSequence: BidirectionalCollection<UInt8> {
    fileprivate var trimmingSpaces: SubSequence {
        var rest = self[...]
        while rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        while rest.last == UInt8(ascii: " ") { rest = rest.dropLast() }
        return rest
    }
}

extension String {
    /// Free text made valid for a field: control characters replaced, cut at the limit.
    package var asHeaderText: String {
        // The common case: nothing to replace or cut.
        if utf8.count <= WireLimits.textScalarCountMax, !utf8.hasControl {
            return utf8.first == 0x20 || utf8.last == 0x20
                ? String(Substring(utf8.trimmingSpaces)) : self
        }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(WireLimits.textScalarCountMax) {
            text.append(scalar.isControl ? " " : scalar)
        }
        return String(Substring(String(text).utf8.trimmingSpaces))
    }
}

/// The reader of a verb's fields in a header, with one form of refusal.
struct HeaderReader {
    let verb: Verb
    let header: Header
    private var id: PresentationID?

    init(_ verb: Verb, _ header: Header) {
        self.verb = verb
        self.header = header
        id = header["id"].flatMap { PresentationID($0) }
    }

    private func refuse(_ name: String, _ found: String, _ allowed: String) -> WireError {
        WireError(
            .malformed,
            "\(verb.rawValue): field \(name) is \"\(found.cut(toScalars: 60))\"; "
                + "allowed: \(allowed)",
            id: id)
    }

    /// A required field, parsed by `parse`.
    func required<Value>(
        _ name: String, _ allowed: @autoclosure () -> String, _ parse: (String) -> Value?
    ) throws(WireError) -> Value {
        guard let text = header[name] else {
            throw WireError(
                .malformed, "\(verb.rawValue): field \(name) is missing; expected: \(allowed())",
                id: id)
        }
        guard let value = parse(text) else { throw refuse(name, text, allowed()) }
        return value
    }

    /// An optional field: nil when absent, a refusal when invalid.
    func optional<Value>(
        _ name: String, _ allowed: @autoclosure () -> String, _ parse: (String) -> Value?
    ) throws(WireError) -> Value? {
        guard let text = header[name] else { return nil }
        guard let value = parse(text) else { throw refuse(name, text, allowed()) }
        return value
    }

    func presentationID() throws(WireError) -> PresentationID {
        try required("id", "a UUID") { PresentationID($0) }
    }

    func digest() throws(WireError) -> ReportDigest? {
        try optional("digest", "16 hexadecimal digits") { ReportDigest($0) }
    }

    func name(_ field: String) throws(WireError) -> NodeName {
        try required(field, NodeName.allowed) { NodeName($0) }
    }

    /// The name of the peer itself.
    func nodeName(_ field: String) throws(WireError) -> NodeName {
        try required(field, NodeName.allowedForNode) {
            NodeName($0).flatMap { $0 == .bare ? nil : $0 }
        }
    }

    func path(_ field: String) throws(WireError) -> [NodeName] {
        try required(field, "node names separated by commas, origin first") { Self.path($0) }
    }

    static func path(_ text: String) -> [NodeName]? {
        let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        var path: [NodeName] = []
        for part in parts {
            guard let name = NodeName(Substring(part)) else { return nil }
            path.append(name)
        }
        return path
    }

    func number(_ field: String) throws(WireError) -> UInt64? {
        try optional(field, "a whole number up to 2^53") { Self.number($0) }
    }

    func requiredNumber(_ field: String) throws(WireError) -> UInt64 {
        try required(field, "a whole number up to 2^53") { Self.number($0) }
    }

    /// The number in decimal digits without sign or leading zeros.
    static func number(_ text: String) -> UInt64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            text.utf8.first != UInt8(ascii: "0") || text.utf8.count == 1,
            let number = UInt64(text), number <= WireLimits.numberMax
        else { return nil }
        return number
    }

    func bool(_ field: String) throws(WireError) -> Bool? {
        try optional(field, "true or false") { Bool($0) }
    }

    /// Free text, cut at the limit: a refusal would cost the message, and with an ANSWER the
    /// decision, for a text that only people read.
    func text(_ field: String) -> String? {
        header[field]?.asHeaderText
    }

    func requiredText(_ field: String) throws(WireError) -> String {
        try required(field, "a text") { $0.asHeaderText }
    }

    func option(_ field: String) throws(WireError) -> String? {
        try optional(field, ErrorReport.Option.allowedID) {
            ErrorReport.Option.isID($0) ? $0 : nil
        }
    }
}
