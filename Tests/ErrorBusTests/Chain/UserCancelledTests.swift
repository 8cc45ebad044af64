import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("User cancellations")
struct UserCancelledTests {
    @Test("A16 It passes the hooks, is never shown and is reported", arguments: [true, false])
    func neverShown(hasPresenter: Bool) async {
        let log = Recorder<String>()
        let presenter = ScriptedPresenter("screen", .answer("retry"))
        let origin = ClosureResponder.noting(
            "O", in: log, next: hasPresenter ? PresentingResponder.asking(presenter) : nil)
        let error = SampleError.userCancelled.recoverable {
            RecoveryOption("Retry", id: "retry") { true }
        }
        let outcome = await origin.presentError(error)
        #expect(!outcome.didRecover)
        #expect(outcome.reason == .userCancelled)
        #expect(outcome.decidedBy == (hasPresenter ? "P" : "O"))
        #expect(log.elements == ["O", "O: userCancelled"])
        #expect(presenter.prompts.isEmpty)
    }

    @Test(
        "A16 CocoaError and NSError are equivalent, with options or without",
        arguments: [
            CocoaError(.userCancelled), NSError(domain: "NSCocoaErrorDomain", code: 3072),
        ] as [any Error])
    func asCocoaError(error: any Error) async {
        let presenter = ScriptedPresenter("screen", .answer("retry"), .answer("ok"))
        let chain = PresentingResponder.asking(presenter)
        let withOptions = error.recoverable { RecoveryOption("Retry", id: "retry") { true } }
        #expect(await chain.presentError(error).reason == .userCancelled)
        #expect(await chain.presentError(withOptions).reason == .userCancelled)
        #expect(presenter.prompts.isEmpty)
    }

    @Test("A17 The responder that turned an error into user-cancelled is named")
    func turned() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let above = ClosureResponder("N", next: PresentingResponder.asking(presenter))
        let middle = ClosureResponder(
            "M", next: above, willPresent: { _, _ in SampleError.userCancelled })
        let outcome = await ClosureResponder("O", next: middle).presentError(SampleError())
        #expect(outcome.reason == .userCancelled)
        #expect(outcome.decidedBy == "M")
        #expect(!outcome.didRecover)
        #expect(presenter.prompts.isEmpty)
    }

    @Test("A17 Turned back into an error it is shown again")
    func turnedBack() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let top = PresentingResponder.asking(presenter)
        let above = ClosureResponder("N", next: top, willPresent: { _, _ in SampleError("again") })
        let middle = ClosureResponder(
            "M", next: above, willPresent: { _, _ in SampleError.userCancelled })
        #expect(await middle.presentError(SampleError()).reason == .answered)
        #expect(presenter.prompts.map(\.report.description) == ["again"])
    }
}
