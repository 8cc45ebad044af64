/// The fields of a message: `name: value` lines, each name at most once. Names that a verb does
/// not use are kept, so that relays can pass them on.
///
/// The lines stay bytes: a text is made only of what a reader asks for.
package struct Header: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// The places of a name and its value in the frame.
    private struct Place: Hashable {
        let name: Range<Int>
        let value: Range<Int>
    }

    /// The lines, each with its newline.
    private(set) var frame: Frame = []
    private var places: [Place] = []

    init() {}

    /// Reads a header frame. Any bytes give a header or a refusal.
    init(_ frame: Frame, limits: WireLimits = .standard) throws(WireError) {
        guard frame.count <= limits.headerByteCountMax else {
            throw WireError(
                .tooLarge,
                "header of \(frame.count) bytes; at most \(limits.headerByteCountMax) are allowed")
        }
        let newline = UInt8(ascii: "\n")
        var (allBits, lineCount): (UInt8, Int) = (0, 0)
        frame.withUnsafeBufferPointer { bytes in
            for byte in bytes {
                allBits |= byte
                lineCount += byte == newline ? 1 : 0
            }
        }
        guard allBits < 0x80 || String(validating: frame, as: UTF8.self) != nil else {
            throw WireError(.malformed, "header is not UTF-8")
        }
        self.frame = frame
        let isCut = frame.last.map { $0 != newline } ?? false
        if isCut {
            self.frame.append(newline)
            lineCount += 1
        }
        guard lineCount <= WireLimits.headerFieldCountMax else {
            throw WireError(
                .malformed,
                "header of \(lineCount) fields; at most \(WireLimits.headerFieldCountMax)")
        }
        places.reserveCapacity(lineCount)
        var start = 0
        for _ in 0..<lineCount {
            var end = start
            while self.frame[end] != newline { end += 1 }
            places.append(try place(in: self.frame[start..<end]))
            start = end + 1
        }
    }

    /// The field of the next line.
    private func place(in line: Frame.SubSequence) throws(WireError) -> Place {
        let number = places.count + 1
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw WireError(.malformed, "header line \(number) has no colon")
        }
        let name = line[..<colon]
        guard Self.isName(name) else {
            throw WireError(
                .malformed,
                "header line \(number): a name is a-z, 0-9 and -, begins with a letter and has "
                    + "at most \(WireLimits.fieldNameByteCountMax) characters")
        }
        let value = line[(colon + 1)...].trimmingSpaces
        guard !value.withUnsafeBufferPointer({ $0.hasControl }) else {
            throw WireError(
                .malformed,
                "header field \(String(decoding: name, as: UTF8.self)) holds a control character")
        }
        guard
            !places.contains(where: {
                $0.name.count == name.count && frame[$0.name].elementsEqual(name)
            })
        else {
            throw WireError(
                .malformed, "header field \(String(decoding: name, as: UTF8.self)) appears twice")
        }
        return Place(name: name.indices, value: value.indices)
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

    private func isEqual(_ place: Range<Int>, _ name: String) -> Bool {
        guard place.count == name.utf8.count else { return false }
        var name = name
        return name.withUTF8 { frame[place].elementsEqual($0) }
    }

    var fields: [Field] { places.map(field) }

    /// The number of fields.
    var count: Int { places.count }

    private func field(_ place: Place) -> Field {
        Field(
            name: String(decoding: frame[place.name], as: UTF8.self),
            value: String(decoding: frame[place.value], as: UTF8.self))
    }

    subscript(name: String) -> String? {
        bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The value of a field.
    func bytes(of name: String) -> Frame.SubSequence? {
        places.first { isEqual($0.name, name) }.map { frame[$0.value] }
    }

    /// The fields that no reader of this verb names.
    func unknown(besides known: [String]) -> [Field] {
        places.filter { place in !known.contains { isEqual(place.name, $0) } }.map(field)
    }

    var byteCount: Int { frame.count }
}

// Writing.
extension Header {
    /// The room for most headers, so that it need not grow.
    private static let usualByteCount = 256
    private static let usualFieldCount = 12

    /// Adds a field with a valid value (free text: ``Swift/String/asHeaderText``).
    mutating func append(_ name: String, _ value: String?) {
        guard let value else { return }
        append(name) { $0.append(value) }
    }

    mutating func append(_ name: String, _ value: UInt64?) {
        append(name, value.map(String.init))
    }

    mutating func append(_ name: String, _ value: PresentationID?) { append(name, value?.value) }

    mutating func append(_ name: String, _ value: UniqueID?) {
        guard let value else { return }
        append(name) { $0.append(value) }
    }

    mutating func append(_ name: String, _ value: ReportDigest?) {
        guard let value else { return }
        append(name) { $0.append(value) }
    }

    mutating func append(_ others: [Field]) {
        for field in others { append(field.name, field.value) }
    }

    private mutating func append(_ name: String, _ write: (inout Frame) -> Void) {
        if frame.isEmpty {
            frame.reserveCapacity(Self.usualByteCount)
            places.reserveCapacity(Self.usualFieldCount)
        }
        let start = frame.count
        frame.append(name)
        let end = frame.count
        frame.append(UInt8(ascii: ":"))
        frame.append(UInt8(ascii: " "))
        let valueStart = frame.count
        write(&frame)
        places.append(Place(name: start..<end, value: valueStart..<frame.count))
        frame.append(UInt8(ascii: "\n"))
    }
}

extension Frame {
    fileprivate mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    fileprivate mutating func append(_ id: UniqueID) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UniqueID.byteCount) {
            id.write(into: $0)
            append(contentsOf: $0)
        }
    }

    fileprivate mutating func append(_ digest: ReportDigest) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UInt64.hexByteCount) {
            digest.value.writeHex(UInt64.hexByteCount, into: $0, at: 0)
            append(contentsOf: $0)
        }
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
        var text = self
        if utf8.count <= WireLimits.textScalarCountMax, !text.withUTF8({ $0.hasControl }) {
            return utf8.first == 0x20 || utf8.last == 0x20
                ? String(Substring(utf8.trimmingSpaces)) : self
        }
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(WireLimits.textScalarCountMax) {
            scalars.append(scalar.isControl ? " " : scalar)
        }
        return String(Substring(String(scalars).utf8.trimmingSpaces))
    }
}

/// The reader of a verb's fields in a header, with one form of refusal.
struct HeaderReader {
    let verb: Verb
    let header: Header

    init(_ verb: Verb, _ header: Header) {
        self.verb = verb
        self.header = header
    }

    /// The id for a refusal, if there is a valid one.
    private var id: PresentationID? { header["id"].flatMap { PresentationID($0) } }

    private func refuse(
        _ name: String, _ found: Frame.SubSequence, _ allowed: String
    ) -> WireError {
        let text = String(decoding: found, as: UTF8.self).cut(toScalars: 60)
        return WireError(
            .malformed,
            "\(verb.rawValue): field \(name) is \"\(text)\"; allowed: \(allowed)", id: id)
    }

    /// A required field, parsed by `parse`.
    func requiredBytes<Value>(
        _ name: String, _ allowed: @autoclosure () -> String,
        _ parse: (Frame.SubSequence) -> Value?
    ) throws(WireError) -> Value {
        guard let value = try optionalBytes(name, allowed(), parse) else {
            throw WireError(
                .malformed, "\(verb.rawValue): field \(name) is missing; expected: \(allowed())",
                id: id)
        }
        return value
    }

    /// An optional field: nil when absent, a refusal when invalid.
    func optionalBytes<Value>(
        _ name: String, _ allowed: @autoclosure () -> String,
        _ parse: (Frame.SubSequence) -> Value?
    ) throws(WireError) -> Value? {
        guard let bytes = header.bytes(of: name) else { return nil }
        guard let value = parse(bytes) else { throw refuse(name, bytes, allowed()) }
        return value
    }

    func required<Value>(
        _ name: String, _ allowed: @autoclosure () -> String, _ parse: (String) -> Value?
    ) throws(WireError) -> Value {
        try requiredBytes(name, allowed()) { parse(String(decoding: $0, as: UTF8.self)) }
    }

    func optional<Value>(
        _ name: String, _ allowed: @autoclosure () -> String, _ parse: (String) -> Value?
    ) throws(WireError) -> Value? {
        try optionalBytes(name, allowed()) { parse(String(decoding: $0, as: UTF8.self)) }
    }

    func presentationID() throws(WireError) -> PresentationID {
        PresentationID(try uniqueID("id"))
    }

    func uniqueID(_ field: String) throws(WireError) -> UniqueID {
        try requiredBytes(field, "a UUID") { $0.withUnsafeBufferPointer(UniqueID.init(utf8:)) }
    }

    func digest() throws(WireError) -> ReportDigest? {
        try optionalBytes("digest", "16 hexadecimal digits") {
            $0.withUnsafeBufferPointer(ReportDigest.init(utf8:))
        }
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
        try requiredBytes(field, "node names separated by commas, origin first") { Self.path($0) }
    }

    static func path(_ text: Frame.SubSequence) -> [NodeName]? {
        let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        var path: [NodeName] = []
        for part in parts {
            guard let name = NodeName(String(decoding: part, as: UTF8.self)) else { return nil }
            path.append(name)
        }
        return path
    }

    func number(_ field: String) throws(WireError) -> UInt64? {
        try optionalBytes(field, "a whole number up to 2^53") { Self.number($0) }
    }

    func requiredNumber(_ field: String) throws(WireError) -> UInt64 {
        try requiredBytes(field, "a whole number up to 2^53") { Self.number($0) }
    }

    /// The number in decimal digits without sign or leading zeros.
    static func number(_ digits: Frame.SubSequence) -> UInt64? {
        guard (1...numberDigitCountMax).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.first != UInt8(ascii: "0") || digits.count == 1
        else { return nil }
        let number = digits.reduce(0) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
        return number <= WireLimits.numberMax ? number : nil
    }

    /// The digits of ``WireLimits/numberMax``.
    private static let numberDigitCountMax = 16

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
