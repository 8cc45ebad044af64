/// A topology that may be run, with what is doubtful about it.
public struct LoadedTopology: Hashable, Sendable {
    public let topology: Topology
    public let warnings: [ConfigurationWarning]

    public init(topology: Topology, warnings: [ConfigurationWarning]) {
        self.topology = topology
        self.warnings = warnings
    }
}
