/// Where a presentation came from, for prompts: set by the node that received it.
public struct PresentedOrigin: Sendable {
    @TaskLocal static var current: PresentedOrigin?

    public let origin: NodeName
    /// The nodes it came through, origin first.
    public let path: [NodeName]
}
