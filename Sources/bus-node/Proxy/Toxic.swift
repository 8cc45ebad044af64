/// One fault on one direction of a proxy's connections.
struct Toxic: Hashable, Sendable {
    /// Unique within its proxy.
    let name: String
    let stream: ToxicStream
    /// The share of connections that it takes hold of, 0 to 1.
    let toxicity: Double
    let effect: ToxicEffect

    init(
        _ effect: ToxicEffect, on stream: ToxicStream = .downstream, name: String? = nil,
        toxicity: Double = 1
    ) {
        self.name = name ?? "\(effect.type)_\(stream.rawValue)"
        self.stream = stream
        self.toxicity = toxicity
        self.effect = effect
    }
}
