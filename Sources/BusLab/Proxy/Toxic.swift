import BusNodeKit
import ErrorBus

/// One fault on one direction of a proxy's connections.
struct Toxic: Hashable, Sendable {
    /// Unique within its proxy.
    let name: String
    let stream: ToxicStream
    /// The share of connections that it affects, 0 to 1.
    let toxicity: Double
    let effect: ToxicEffect

    init(
        _ effect: ToxicEffect, on stream: ToxicStream = .downstream, name: String? = nil,
        toxicity: Double = 1
    ) {
        self.name = name ?? "\(effect.type.rawValue)_\(stream.rawValue)"
        self.stream = stream
        self.toxicity = toxicity
        self.effect = effect
    }
}

/// A direction of a proxied connection, by Toxiproxy's names.
enum ToxicStream: String, CaseIterable, Hashable, Sendable {
    /// From the client to the server.
    case upstream
    /// From the server to the client.
    case downstream

    var opposite: ToxicStream { self == .upstream ? .downstream : .upstream }
}

/// The effect of a toxic on one direction of a connection.
enum ToxicEffect: Hashable, Sendable {
    /// Delays every byte by `latency`, plus or minus `jitter`.
    case latency(Duration, jitter: Duration)
    /// Passes at most this many kilobytes (1000 bytes) a second.
    case bandwidth(kilobytesPerSecond: Int)
    /// Delays the end of the stream.
    case slowClose(delay: Duration)
    /// Passes nothing, and closes the connection after this time; zero: only when the toxic is
    /// removed.
    case timeout(Duration)
    /// Passes nothing, and resets the connection after this time.
    case resetPeer(Duration)
    /// Passes data in pieces of about this many bytes, with a pause before each.
    case slicer(averageSize: Int, variation: Int, delay: Duration)
    /// Closes the connection after this many bytes.
    case limitData(bytes: Int)
    /// Changes bytes: each with this probability, and the one at this offset of the stream.
    case corrupt(probability: Double, offset: Int?)
    /// Passes nothing, as if every packet were dropped; when the toxic is removed the data arrives,
    /// as TCP would send it again.
    case blackhole
    /// Passes whole ZeroMQ messages twice with this probability. Only for streams without
    /// encryption; a stream that is not ZMTP 3 passes unchanged.
    case duplicate(probability: Double)
}

/// An effect without its attributes; the raw value is its name in the API.
package enum ToxicType: String, CaseIterable, Sendable {
    case latency, bandwidth
    case slowClose = "slow_close"
    case timeout
    case resetPeer = "reset_peer"
    case slicer
    case limitData = "limit_data"
    case corrupt, blackhole, duplicate

    package static var allowed: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension ToxicEffect {
    var type: ToxicType {
        switch self {
        case .latency: .latency
        case .bandwidth: .bandwidth
        case .slowClose: .slowClose
        case .timeout: .timeout
        case .resetPeer: .resetPeer
        case .slicer: .slicer
        case .limitData: .limitData
        case .corrupt: .corrupt
        case .blackhole: .blackhole
        case .duplicate: .duplicate
        }
    }

    /// Whether it has no effect on connections that are open already.
    var needsNewConnection: Bool {
        switch self {
        // Message borders can be found only from the beginning of a connection.
        case .duplicate: true
        case .latency, .bandwidth, .slowClose, .timeout, .resetPeer, .slicer, .limitData,
            .corrupt, .blackhole:
            false
        }
    }

    /// The longest pause: an hour, in milliseconds.
    static let millisecondMax: Int64 = 3_600_000
    private static let byteMax: Int64 = 1 << 40
    private static let sliceMax: Int64 = 1 << 20

    /// In the API's names and units: milliseconds, bytes, kilobytes a second; the slicer's delay in
    /// microseconds.
    var attributes: [String: JSONValue] {
        switch self {
        case .latency(let latency, let jitter):
            ["latency": .milliseconds(latency), "jitter": .milliseconds(jitter)]
        case .bandwidth(let rate): ["rate": .integer(Int64(rate))]
        case .slowClose(let delay): ["delay": .milliseconds(delay)]
        case .timeout(let limit), .resetPeer(let limit): ["timeout": .milliseconds(limit)]
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

    init(type: ToxicType, attributes: [String: JSONValue]) throws(ProxyProblem) {
        let name = type.rawValue
        func fields(_ names: String...) throws(ProxyProblem) -> ToxicFields {
            try ToxicFields(.object(attributes), of: "attributes of \(name)", allowing: names)
        }
        switch type {
        case .latency:
            let fields = try fields("latency", "jitter")
            self = .latency(try fields.pause("latency"), jitter: try fields.pause("jitter"))
        case .bandwidth:
            let rate = try fields("rate").needed("rate", in: 1...10_000_000, by: name)
            self = .bandwidth(kilobytesPerSecond: rate)
        case .slowClose: self = .slowClose(delay: try fields("delay").pause("delay"))
        case .timeout: self = .timeout(try fields("timeout").pause("timeout"))
        case .resetPeer: self = .resetPeer(try fields("timeout").pause("timeout"))
        case .slicer:
            self = try Self.slicer(try fields("average_size", "size_variation", "delay"))
        case .limitData:
            let bytes = try fields("bytes").needed("bytes", in: 0...Self.byteMax, by: name)
            self = .limitData(bytes: bytes)
        case .corrupt:
            let fields = try fields("probability", "offset")
            self = .corrupt(
                probability: try fields.number("probability", in: 0...1) ?? 0,
                offset: try fields.integer("offset", in: 0...Self.byteMax).map { Int($0) })
        case .blackhole:
            _ = try fields()
            self = .blackhole
        case .duplicate:
            let fields = try fields("probability")
            self = .duplicate(probability: try fields.number("probability", in: 0...1) ?? 1)
        }
    }

    private static func slicer(_ fields: ToxicFields) throws(ProxyProblem) -> ToxicEffect {
        let size = try fields.needed("average_size", in: 1...sliceMax, by: "slicer")
        let variation = try fields.integer("size_variation", in: 0...sliceMax) ?? 0
        guard variation < size else {
            throw .badRequest("size_variation: found \(variation); allowed: less than average_size")
        }
        let delay = try fields.integer("delay", in: 0...millisecondMax * 1_000) ?? 0
        return .slicer(
            averageSize: size, variation: Int(variation), delay: .microseconds(delay))
    }
}

/// The fields of a request for proxies and toxics.
typealias ToxicFields = JSONFields<ProxyProblem>

extension ToxicFields {
    /// A text; nil for an empty one, which Toxiproxy's clients send for an absent value.
    func given(_ name: String) throws(ProxyProblem) -> String? {
        let text = try string(name)
        return text?.isEmpty == true ? nil : text
    }

    fileprivate func toxicType() throws(ProxyProblem) -> ToxicType? {
        guard let name = try given("type") else { return nil }
        if let type = ToxicType(rawValue: name) { return type }
        throw .badRequest("type: found \(name.shown()); allowed: \(ToxicType.allowed)")
    }

    func itemName() throws(ProxyProblem) -> String? {
        let name = try given("name")
        if let name { try ProxyRegistry.checkName(name, "name") }
        return name
    }

    fileprivate func pause(_ name: String) throws(ProxyProblem) -> Duration {
        .milliseconds(try integer(name, in: 0...ToxicEffect.millisecondMax) ?? 0)
    }

    fileprivate func needed(
        _ name: String, in range: ClosedRange<Int64>, by type: String
    ) throws(ProxyProblem) -> Int {
        if let value = try integer(name, in: range) { return Int(value) }
        throw .badRequest("\(name): missing; \(type) needs it")
    }
}

extension Toxic {
    /// In the API's form.
    var json: JSONValue {
        [
            "name": .string(name), "type": .string(effect.type.rawValue),
            "stream": .string(stream.rawValue), "toxicity": .number(toxicity),
            "attributes": .object(effect.attributes),
        ]
    }

    /// Reads a new toxic from a request, or a change of `former`.
    init(_ json: JSONValue, changing former: Toxic? = nil) throws(ProxyProblem) {
        let fields = try ToxicFields(
            json, of: "toxic", allowing: ["name", "type", "stream", "toxicity", "attributes"])
        let type = try fields.toxicType() ?? former?.effect.type
        guard let type else { throw .badRequest("type: missing; allowed: \(ToxicType.allowed)") }
        let streams = ToxicStream.allCases.map(\.rawValue)
        let given =
            try fields.given("stream") == nil ? nil : try fields.word("stream", among: streams)
        let stream = given.flatMap(ToxicStream.init) ?? former?.stream ?? .downstream
        if let former, type != former.effect.type || stream != former.stream {
            throw .badRequest(
                "type and stream of a toxic cannot be changed; delete it and make one")
        }
        let attributes: [String: JSONValue]
        switch fields["attributes"] {
        case nil: attributes = [:]
        case .object(let given)?: attributes = given
        default: throw .badRequest("attributes: not a JSON object")
        }
        // A change names only the attributes that differ.
        let all = (former?.effect.attributes ?? [:]).merging(attributes) { $1 }
        let effect = try ToxicEffect(type: type, attributes: all)
        let toxicity = try fields.number("toxicity", in: 0...1)
        self.init(
            effect, on: stream, name: try fields.itemName() ?? former?.name,
            toxicity: toxicity ?? former?.toxicity ?? 1)
    }
}
