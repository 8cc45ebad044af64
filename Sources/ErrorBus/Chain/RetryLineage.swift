/// Links the presentations of one operation that is repeated after recovery: each names the one
/// before it, so that a policy can see a circle (A38).
struct RetryLineage: Sendable {
    @TaskLocal static var current = RetryLineage()

    var previous: PresentationID?
    var count = 0

    func newContext() -> PresentationContext {
        PresentationContext(id: .make(), retryOf: previous, retryCount: count)
    }
}
