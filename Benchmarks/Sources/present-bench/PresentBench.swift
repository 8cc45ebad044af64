import ArgumentParser

/// What a presentation costs: present -> policy answer -> recovery attempt -> completion, between
/// processes over tcp loopback.
@main
struct PresentBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "present-bench",
        abstract: "Latency, throughput and memory of presentations between processes.",
        subcommands: [
            Measure.self, Storm.self, Restart.self, Open.self, Serve.self, Load.self, Steps.self,
        ],
        defaultSubcommand: Measure.self)
}

/// Refuses options outside of their ranges.
func checkRanges(_ options: (name: String, value: Int, allowed: ClosedRange<Int>)...) throws {
    for (name, value, allowed) in options where !allowed.contains(value) {
        throw ValidationError(
            "--\(name) is \(value), allowed: \(allowed.lowerBound) to \(allowed.upperBound)")
    }
}
