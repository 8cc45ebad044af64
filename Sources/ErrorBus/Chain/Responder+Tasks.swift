extension Responder {
    /// Presents an error from code that is not async. The handler is called exactly once, never
    /// on the caller's stack (HRS calls it synchronously in some cases and never in others).
    /// Cancel the returned task to withdraw the error; the handler is then still called.
    @discardableResult
    public func presentError(
        _ error: any Error,
        completionHandler: @escaping @Sendable (_ didRecover: Bool) -> Void
    ) -> Task<Void, Never> {
        Task { completionHandler(await presentError(error).didRecover) }
    }

    /// Presents a responder's own fault to the responder after it. No caller waits for the outcome:
    /// there is nothing to repeat. Where the chain is cut and errors drop, so does this one.
    func presentFault(_ fault: any Error) async {
        guard let successor = await successor else { return }
        Task {
            await PresentationContext.$current.withValue(nil) {
                await successor.presentError(fault)
            }
        }
    }
}
