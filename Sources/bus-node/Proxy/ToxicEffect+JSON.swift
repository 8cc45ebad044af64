import ErrorBus

extension ToxicEffect {
    static let types = [
        "latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data",
        "corrupt", "blackhole", "duplicate",
    ]
    static var allowed: String { types.joined(separator: ", ") }

    /// The longest pause: an hour, in milliseconds.
    static let millisecondMax = 3_600_000
    private static let byteMax = 1 << 40
    private static let sliceMax = 1 << 20

    /// As the API names and measures them: milliseconds, bytes, kilobytes a second; the slicer's
    /// delay in microseconds.
    var attributes: [String: JSONValue] {
        switch self {
        case .latency(let latency, let jitter):
            ["latency": latency.milliseconds, "jitter": jitter.milliseconds]
        case .bandwidth(let rate): ["rate": .integer(Int64(rate))]
        case .slowClose(let delay): ["delay": delay.milliseconds]
        case .timeout(let limit), .resetPeer(let limit): ["timeout": limit.milliseconds]
        case .slicer(let size, let variation, let delay):
            [
                "average_size": .integer(Int64(size)), "size_variation": .integer(Int64(variation)),
                "delay": .integer(delay.wholeMicroseconds),
            ]
        case .limitData(let bytes): ["bytes": .integer(Int64(bytes))]
        case .corrupt(let probability, let offset):
            [
                "probability": .number(probability),
                "offset": offset.map { .integer(Int64($0)) } ?? .null,
            ]
        case .blackhole: [:]
        case .duplicate(let probability): ["probability": .number(probability)]
        }
    }

    init(type: String, attributes: [String: JSONValue]) throws(ProxyProblem) {
        let reader = AttributeReader(type: type, fields: attributes)
        switch type {
        case "latency":
            try reader.allow("latency", "jitter")
            self = .latency(
                try reader.milliseconds("latency"), jitter: try reader.milliseconds("jitter"))
        case "bandwidth":
            try reader.allow("rate")
            self = .bandwidth(
                kilobytesPerSecond: try reader.integer("rate", 1...10_000_000, default: nil))
        case "slow_close":
            try reader.allow("delay")
            self = .slowClose(delay: try reader.milliseconds("delay"))
        case "timeout":
            try reader.allow("timeout")
            self = .timeout(try reader.milliseconds("timeout"))
        case "reset_peer":
            try reader.allow("timeout")
            self = .resetPeer(try reader.milliseconds("timeout"))
        case "slicer":
            self = try Self.slicer(reader)
        case "limit_data":
            try reader.allow("bytes")
            self = .limitData(bytes: try reader.integer("bytes", 0...Self.byteMax, default: nil))
        case "corrupt":
            try reader.allow("probability", "offset")
            self = .corrupt(
                probability: try reader.fraction("probability", default: 0),
                offset: try ToxicFields.integer("offset", in: attributes, 0...Self.byteMax))
        case "blackhole":
            try reader.allow()
            self = .blackhole
        case "duplicate":
            try reader.allow("probability")
            self = .duplicate(probability: try reader.fraction("probability", default: 1))
        default:
            throw .badRequest("type: found \(type.shown()); allowed: \(Self.allowed)")
        }
    }

    private static func slicer(_ reader: AttributeReader) throws(ProxyProblem) -> ToxicEffect {
        try reader.allow("average_size", "size_variation", "delay")
        let size = try reader.integer("average_size", 1...sliceMax, default: nil)
        let variation = try reader.integer("size_variation", 0...sliceMax, default: 0)
        guard variation < size else {
            throw .badRequest("size_variation: found \(variation); allowed: less than average_size")
        }
        let delay = try reader.integer("delay", 0...millisecondMax * 1_000, default: 0)
        return .slicer(averageSize: size, variation: variation, delay: .microseconds(delay))
    }
}

/// The attributes of one toxic as they are read.
private struct AttributeReader {
    let type: String
    let fields: [String: JSONValue]

    func allow(_ names: String...) throws(ProxyProblem) {
        try ToxicFields.checkNames(in: fields, allowed: names, of: "attributes of \(type)")
    }

    func milliseconds(_ name: String) throws(ProxyProblem) -> Duration {
        .milliseconds(try integer(name, 0...ToxicEffect.millisecondMax, default: 0))
    }

    /// Without a default the attribute has to be there.
    func integer(
        _ name: String, _ range: ClosedRange<Int>, default other: Int?
    ) throws(ProxyProblem) -> Int {
        if let value = try ToxicFields.integer(name, in: fields, range) ?? other { return value }
        throw .badRequest("\(name): missing; \(type) needs it")
    }

    func fraction(_ name: String, default other: Double) throws(ProxyProblem) -> Double {
        try ToxicFields.number(name, in: fields, 0...1) ?? other
    }
}

extension Duration {
    fileprivate var milliseconds: JSONValue { .integer(wholeMicroseconds / 1_000) }
}
