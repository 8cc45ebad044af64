/// A way to ask a person or a policy: a terminal, a console, a command, a rule file.
public protocol Presenter: Sendable {
    /// The name in logs and outcomes.
    var presenterName: String { get }

    /// Puts the question and returns its answer, made by ``Prompt/answer(_:by:via:id:)``, or nil
    /// to decline, so that the next presenter is asked.
    ///
    /// Cancellation means that the question is gone (withdrawn, expired, answered elsewhere):
    /// take the prompt away and return nil.
    /// - Throws: What kept it from presenting. The fault is logged here and the next presenter is
    ///   asked; it is never sent to the origin.
    func present(_ prompt: Prompt) async throws -> Answer?
}
