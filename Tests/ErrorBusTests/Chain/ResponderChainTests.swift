import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Errors climb from responder to responder")
struct ResponderChainTests {
    @Test("A05 Every hook is called once, in order, even the terminal's")
    func hookOrder() async {
        func naming(_ name: String) -> ClosureResponder.WillPresent {
            { error, _ in error.rewriting { report in report.description += " \(name)" } }
        }
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let top = PresentingResponder(
            "P", presenters: [presenter], logger: .silent, willPresent: naming("P"))
        let middle = ClosureResponder("M", next: top, willPresent: naming("M"))
        let origin = ClosureResponder("O", next: middle, willPresent: naming("O"))
        let inner = ClosureResponder("inner", next: origin, willPresent: naming("inner"))

        let outcome = await inner.presentError(SampleError("E"))

        #expect(presenter.prompts.map(\.report.description) == ["E inner O M P"])
        #expect(outcome.reason == .answered)
    }

    @Test("A05 The terminal's hook is called once although its presenters decline")
    func hookOfDecliningTerminal() async {
        let hooks = Recorder<String>()
        let end = ClosureResponder.noting("end", in: hooks, next: nil)
        let top = PresentingResponder(
            "P", presenters: [ScriptedPresenter("no", .decline)], next: end, logger: .silent,
            willPresent: { error, _ in
                hooks.record("P")
                return error
            })
        #expect(await top.presentError(SampleError()).reason == .detached)
        #expect(hooks.elements == ["P", "end", "end: detached"])
    }

    @Test(
        "A07 A withheld error climbs no further, the caller completes, those below are notified"
    )
    func withheld() async {
        let log = Recorder<String>()
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let middle = ClosureResponder(
            "M", next: PresentingResponder.asking(presenter), willPresent: { _, _ in nil })
        let origin = ClosureResponder.noting("O", in: log, next: middle)

        let outcome = await origin.presentError(SampleError())

        #expect(!outcome.didRecover)
        #expect(outcome.reason == .withheld)
        #expect(outcome.decidedBy == "M")
        #expect(log.elements == ["O", "O: withheld"])
        #expect(presenter.prompts.isEmpty)
    }

    @Test("A08 An error that a responder handles recovers without its own attempter")
    func handledWithRecovery() async {
        let attempts = Recorder<Void>()
        let presenter = ScriptedPresenter("screen", .answer("retry"))
        let login = ClosureResponder(
            "M", next: PresentingResponder.asking(presenter),
            present: { _, _ in Outcome(didRecover: true, reason: .handled, decidedBy: "M") })
        let origin = ClosureResponder("O", next: login)
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record(())
                return true
            }
        }
        let outcome = await origin.presentError(error)

        #expect(outcome.didRecover)
        #expect(outcome.reason == .handled)
        #expect(outcome.decidedBy == "M")
        #expect(attempts.elements.isEmpty)
        #expect(presenter.prompts.isEmpty)
    }

    @Test("A11 An option keeps its id, and so its attempt, when others come before it")
    func reordered() async {
        let attempts = Recorder<String>()
        let presenter = ScriptedPresenter("screen", .answer("retry"))
        let middle = ClosureResponder(
            "M", next: PresentingResponder.asking(presenter),
            willPresent: { error, _ in
                error.addingRecoveryOptions(.first) {
                    RecoveryOption("Use cache", id: "cache") {
                        attempts.record("cache")
                        return true
                    }
                }.rewriting { $0.options[1].title = "Erneut versuchen" }
            })
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record("retry")
                return true
            }
        }
        let outcome = await middle.presentError(error)

        let prompt = presenter.prompts.first
        #expect(prompt?.report.options.map(\.title) == ["Use cache", "Erneut versuchen"])
        #expect(outcome.didRecover)
        #expect(attempts.elements == ["retry"])
    }

    @Test("A12 A responder handles fatal errors by their fields, and passes the rest unchanged")
    func filtered() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let middle = ClosureResponder(
            "M", next: PresentingResponder.asking(presenter),
            present: { error, _ in
                guard error.causing(SampleError.self)?.isFatal == true else { return nil }
                return Outcome(didRecover: false, reason: .handled, decidedBy: "M")
            })
        let mild = SampleError(userInfo: ["fatal": .bool(false)])
        let fatal = SampleError(userInfo: ["fatal": .bool(true)])

        #expect(await middle.presentError(fatal).decidedBy == "M")
        #expect(await middle.presentError(mild).decidedBy == "P")
        #expect(presenter.prompts.map(\.report.userInfo) == [["fatal": .bool(false)]])
    }

    @Test("A13 A cut chain drops: the caller completes, resources are released")
    func dropped() async {
        let log = Recorder<String>()
        let origin = ClosureResponder.noting("O", in: log, next: nil)
        let outcome = await origin.presentError(SampleError())
        #expect(!outcome.didRecover)
        #expect(outcome.reason == .detached)
        #expect(outcome.decidedBy == "O")
        #expect(log.elements == ["O", "O: detached"])
    }

    @Test("A14 A cut chain goes straight to the root, and the trail shows it")
    func straightToRoot() async {
        let trails = Recorder<[String]>()
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let root = PresentingResponder(
            "root", presenters: [presenter], logger: .silent,
            willPresent: { error, context in
                trails.record(context.trail)
                return error
            })
        let middle = ClosureResponder("M", next: root)
        let attached = ClosureResponder("O", next: middle)
        let cut = ClosureResponder("O", next: nil, cutChainPolicy: .root(root))

        #expect(await cut.presentError(SampleError()).decidedBy == "root")
        _ = await attached.presentError(SampleError())
        #expect(trails.elements == [["O (cut, to root)", "root"], ["O", "M", "root"]])
    }

    @Test("A15 A cut chain can present locally")
    func locally() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let local = PresentingResponder.asking(presenter, name: "local")
        let origin = ClosureResponder("O", next: nil, cutChainPolicy: .presentLocally(local))
        #expect(await origin.presentError(SampleError()).decidedBy == "local")
        #expect(presenter.prompts.count == 1)
    }

    @Test("A37 A fault in a hook goes to next on its own; the error goes on unchanged")
    func faultInHook() async throws {
        let presenter = ScriptedPresenter("screen", .answer("ok"), .answer("ok"))
        let trails = Recorder<[String]>()
        let hookCalls = Recorder<Void>()
        let top = PresentingResponder(
            "P", presenters: [presenter], logger: .silent,
            willPresent: { error, context in
                trails.record(context.trail)
                return error
            })
        let middle = ClosureResponder(
            "M", next: top,
            willPresent: { _, _ in
                hookCalls.record(())
                throw SampleError("E2", code: 2)
            })
        let outcome = await middle.presentError(SampleError("E"))
        let prompts = [try await presenter.nextPrompt(), try await presenter.nextPrompt()]

        #expect(outcome.reason == .answered)
        #expect(Set(prompts.map(\.report.description)) == ["E", "E2"])
        #expect(Set(prompts.map(\.id)).count == 2)
        #expect(hookCalls.elements.count == 1)
        #expect(Set(trails.elements) == [["M (willPresentError threw)", "P"], ["P"]])
    }

    @Test(
        "A fault in a hook of a cut responder goes to the root or the local presenter",
        .timeLimit(.minutes(10)), arguments: [true, false])
    func faultAtCut(goesToRoot: Bool) async throws {
        let presenter = ScriptedPresenter("screen", .answer("ok"), .answer("ok"))
        let end = PresentingResponder.asking(presenter, name: "end")
        let cut = ClosureResponder(
            "O", next: nil, cutChainPolicy: goesToRoot ? .root(end) : .presentLocally(end),
            willPresent: { _, _ in throw SampleError("E2", code: 2) })
        #expect(await cut.presentError(SampleError("E")).decidedBy == "end")
        let prompts = [try await presenter.nextPrompt(), try await presenter.nextPrompt()]
        #expect(Set(prompts.map(\.report.description)) == ["E", "E2"])
        #expect(Set(prompts.map(\.id)).count == 2)
    }

    @Test("A39 A report is the same after many hops that do not change it")
    func fidelity() async {
        var error = SampleError("E", code: .min, userInfo: ["invoice": .string("INV-7")])
        error.report.failureReason = "Why."
        error.report.recoverySuggestion = "What now."
        error.report.helpAnchor = "help"
        error.report.underlyingErrors = [
            ErrorReport(
                domain: "NSPOSIXErrorDomain", code: .max, description: "inner",
                underlyingErrors: [ErrorReport(domain: "deep", description: "deeper")]),
            ErrorReport(domain: "second", description: "other"),
        ]
        error.report.unknownKeys = ["newer": .array([.null, .number(0.5)])]
        error.report.undescribed = ["stream"]
        error.report.options = [.init(id: "ok", title: "OK", role: .cancel)]
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        var chain: any Responder = PresentingResponder.asking(presenter)
        for hop in 1...40 { chain = ClosureResponder("hop\(hop)", next: chain) }
        _ = await chain.presentError(error)
        #expect(presenter.prompts.map(\.report) == [error.report])
    }

    @Test("A36 A circular chain ends where it closes, as a cycle")
    func circle() async {
        let log = Recorder<String>()
        let first = LinkedResponder("first", log)
        let second = LinkedResponder("second", log)
        await first.link(to: second)
        await second.link(to: first)
        let outcome = await first.presentError(SampleError())
        #expect(outcome.reason == .cycle)
        #expect(outcome.decidedBy == "first")
        #expect(outcome.detail == "circular chain: first -> second -> first")
        #expect(log.elements == ["first", "second", "second: cycle", "first: cycle"])
        await first.link(to: nil)
    }

    @Test(
        "Responders below are notified of each end without a presenter, and of no other",
        arguments: [
            (Outcome.Reason.withheld, true), (.userCancelled, true), (.detached, true),
            (.unreachable, true), (.cycle, true), (.tooManyHops, true), (.busy, true),
            (.rejected, true), (.shutDown, true), (.handled, false), (.expired, false),
            (.withdrawn, false),
        ])
    func notPresented(reason: Outcome.Reason, isNoticed: Bool) async {
        let log = Recorder<String>()
        let end = ClosureResponder(
            "end", next: nil,
            present: { _, _ in Outcome(didRecover: false, reason: reason, decidedBy: "end") })
        let chain = ClosureResponder.noting("O", in: log, next: end)
        #expect(await chain.presentError(SampleError()).reason == reason)
        #expect(log.elements == ["O"] + (isNoticed ? ["O: \(reason)"] : []))
    }

    @Test("A chain has at most 64 responders", arguments: [(64, "answered"), (65, "tooManyHops")])
    func chainLength(count: Int, reason: String) async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        var chain: any Responder = PresentingResponder.asking(presenter)
        let log = Recorder<String>()
        for hop in 1..<count { chain = ClosureResponder.noting("\(hop)", in: log, next: chain) }
        let outcome = await chain.presentError(SampleError())
        #expect(outcome.reason.rawValue == reason)
        #expect(presenter.prompts.count == (reason == "answered" ? 1 : 0))
        let notices = log.elements.filter { $0.hasSuffix(": tooManyHops") }
        #expect(notices.count == (reason == "answered" ? 0 : 64))
    }
}

/// A responder whose next is set later.
actor LinkedResponder: Responder {
    nonisolated let responderName: String
    private let log: Recorder<String>
    private(set) var next: (any Responder)?

    init(_ name: String, _ log: Recorder<String>) {
        responderName = name
        self.log = log
    }

    func link(to next: (any Responder)?) { self.next = next }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        log.record(responderName)
        return error
    }

    func willNotPresentError(
        _ error: any Error, reason: Outcome.Reason, in context: PresentationContext
    ) async {
        log.record("\(responderName): \(reason)")
    }
}
