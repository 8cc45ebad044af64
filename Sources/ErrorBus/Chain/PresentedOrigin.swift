/// Where a presentation came from, for prompts: set by the node that received it. It belongs to
/// that presentation only: one begun on the way, by a hook or an attempt, arose in this process.
public struct PresentedOrigin: Sendable {
    @TaskLocal static var current: PresentedOrigin?

    public let origin: NodeName
    /// The nodes it came through, origin first.
    public let path: [NodeName]
    /// Of the report as its origin wrote it.
    public var digest: ReportDigest?
}
