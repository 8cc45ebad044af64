import ArgumentParser

/// `bus-node policy`: policy files by themselves.
struct Policy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work with policy files.",
        discussion: "Example: bus-node policy test policy.yaml --report error.json",
        subcommands: [PolicyTest.self])
}
