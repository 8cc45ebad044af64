import ErrorBusTesting

/// An object that notes its own end, by which a test sees the end of what holds it.
final class LifeToken: Sendable {
    private let freed: Recorder<Void>

    init(_ freed: Recorder<Void>) { self.freed = freed }

    deinit { freed.record(()) }
}
