extension Responder {
    /// Presents an error from code that is not async. The handler is called exactly once, never
    /// on the caller's stack. Cancel the returned task to withdraw the error.
    @discardableResult
    public func presentError(
        _ error: any Error,
        completionHandler: @escaping @Sendable (_ didRecover: Bool) -> Void
    ) -> Task<Void, Never> {
        Task { completionHandler(await presentError(error).didRecover) }
    }

    /// Presents a responder's own fault to the responder after it. Nobody waits for the outcome:
    /// there is nothing to repeat.
    func presentFault(_ fault: any Error, to next: any Responder) {
        Task { await PresentationContext.$current.withValue(nil) { await next.presentError(fault) } }
    }
}
