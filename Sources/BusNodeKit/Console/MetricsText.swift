/// Samples in the text format of Prometheus, version 0.0.4.
struct MetricsText {
    enum Kind: String {
        /// Grows and falls.
        case gauge
        /// Only grows in one life of the node.
        case counter
    }

    /// A number with what sets it apart from others of its metric: words of this program, and names
    /// from its own configuration. Text of a peer would make any number of series.
    struct Sample {
        let labels: [(name: String, value: String)]
        let count: Int

        init(_ labels: (name: String, value: String)..., count: Int) {
            self.labels = labels
            self.count = count
        }

        fileprivate var line: String {
            let texts = labels.map { "\($0.name)=\"\($0.value)\"" }
            return (texts.isEmpty ? "" : "{\(texts.joined(separator: ","))}") + " \(count)"
        }
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Adds a metric; without samples nothing.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        text += "# HELP errorbus_\(name) \(help)\n# TYPE errorbus_\(name) \(kind.rawValue)\n"
        for sample in samples { text += "errorbus_\(name)\(sample.line)\n" }
    }
}
