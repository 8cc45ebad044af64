import ErrorBus
import Foundation

// Attempts in the node itself, in chains, and of errors of Foundation.
extension Script {
    static let recoveries: [Script] = returning + foundation + repeating + several

    /// A relay with an option of its own, which takes three seconds, before those of the error.
    private static let slow = Hop.relay.made { parts, talk in
        parts.chain = { next in
            ClosureResponder(
                "adder", next: next,
                willPresent: { error, _ in
                    error.addingRecoveryOptions(.first) {
                        RecoveryOption("Retry here", id: "retry") {
                            talk.attempts.append("retry")
                            await talk.scheduler.sleep(3_000)
                            return true
                        }
                    }
                })
        }
    }

    private static let returning: [Script] = [
        Script("What returns while a hop carries its option out gets that result", slow) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let said = try await talk.up.takes(talk.id(1))
            let report = try ErrorReport(payload: Frame(said.payload.utf8))
            try talk.check(
                report.options.map(\.title) == ["Retry here", "Skip"], "in place of the other")
            try await kid.hears("ACCEPTED")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.pause(100)
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            try await kid.hears("WITHDRAWN")
            try await talk.pause(100)
            kid.present(talk.id(1))
            try await kid.hears("ACCEPTED", "attempt: 2")
            try await talk.up.hears("SETTLED", "result: recovered", in: 2_600...2_800)
            try await kid.hears(
                "ANSWER", "answer: \(talk.id(9))", "option: retry", "did-recover: true")
            try talk.check(talk.attempts == ["retry"], "\(talk.attempts)")
            kid.settle(talk.id(1), talk.id(9), "recovered")
            try await talk.up.hearsNothing(for: 500)
        },
        Script("What was given up while a hop carries its option out gets that result later", slow)
        {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.pause(100)
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears("SETTLED", "result: recovered", in: 2_800...3_000)
            kid.heard.clear()
            kid.present(talk.id(1))
            try await kid.hears(
                "ANSWER", "answer: \(talk.id(9))", "option: retry", "did-recover: true")
            try talk.check(talk.attempts == ["retry"], "\(talk.attempts)")
        },
        Script(
            "What a responder of a hop gives up is not withdrawn by the origin",
            .relay.made { parts, talk in parts.chain = { Impatience(next: $0, talk: talk) } }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            let said = try await kid.hears("ANSWER", "reason: handled", in: 900...960)
            kid.settle(talk.id(1), PresentationID(said["answer"] ?? "") ?? talk.id(9), "failed")
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 1_980...2_010)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
        },
        Script("A result that comes after the delivery was given up goes up as well") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER")
            kid.close()
            try await talk.up.hears("SETTLED", "result: unknown", in: 239_000...242_000)
            try await kid.connect()
            kid.say("HELLO", "from: kid", "boot: 01", "versions: EB1")
            try await kid.hears("WELCOME")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered")
            try await talk.up.hears(
                "SETTLED", "answer: \(talk.id(9))", "result: recovered", "origin: kid",
                "digest: \(Talk.digest())")
            talk.up.say("OK", "id: \(talk.id(1))")
        },
        Script("A caller that has given up before it asks asks for nothing") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            call.cancel()
            try await call.ends(.withdrawn)
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("A caller that gives up cancels its attempt, which is settled") { talk in
            try await talk.up.isLinked()
            var options = PresentationOptions()
            options.id = talk.id(1)
            let error = Talk.Trouble().recoverable {
                RecoveryOption("Drop", id: "drop") {
                    await !talk.isCancelled(within: 60_000)
                }
            }
            let call = talk.presents(error, options)
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), "drop", as: talk.id(9))
            try await talk.pause(1_000)
            call.cancel()
            try await talk.up.hears("SETTLED", "result: failed", in: 0...10)
            try await call.ends(.answered)
        },
    ]

    /// It waits for a second, and then says that it handled the error.
    private struct Impatience: Responder {
        let next: (any Responder)?
        let talk: Talk

        func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
            let work = Task { await forwardError(error, in: context) }
            talk.scheduler.after(1_000) { work.cancel() }
            let reason = await work.value.reason
            return Outcome(
                didRecover: false, reason: reason == .withdrawn ? .handled : reason,
                decidedBy: responderName)
        }
    }

    /// An error of a library that knows only Foundation.
    private struct Foreign: RecoverableError, LocalizedError {
        let talk: Talk
        let calls: Bool
        var errorDescription: String? { "It is foreign." }
        var recoveryOptions: [String] { ["One", "Two"] }

        func attemptRecovery(optionIndex index: Int) -> Bool { false }

        func attemptRecovery(
            optionIndex index: Int, resultHandler handler: @escaping (Bool) -> Void
        ) {
            talk.attempts.append("\(index)")
            if calls { handler(index == 0) }
        }
    }

    private static let foundation: [Script] = [
        Script("Options of Foundation's errors are addressed by their places") { talk in
            try await talk.up.isLinked()
            for (number, option, result) in [
                (1, "option-1", "failed"), (2, "option-0", "recovered"), (3, "option-2", "invalid"),
            ] {
                var options = PresentationOptions()
                options.id = talk.id(number)
                let call = talk.presents(Foreign(talk: talk, calls: true), options)
                let said = try await talk.up.takes(talk.id(number))
                try talk.check(said.payload.contains(#""title":"Two""#), said.payload)
                talk.up.answer(talk.id(number), option, as: talk.id(90 + number))
                try await talk.up.hears("SETTLED", "result: \(result)")
                try await call.ends(
                    result == "invalid" ? .noAttempter : .answered,
                    didRecover: result == "recovered")
            }
            try talk.check(talk.attempts == ["1", "0"], "\(talk.attempts)")
        },
        Script("A handler of Foundation that is never called ends after ten minutes") { talk in
            try await talk.up.isLinked()
            var options = PresentationOptions()
            options.id = talk.id(1)
            let call = talk.presents(Foreign(talk: talk, calls: false), options)
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), "option-0", as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: failed", in: 599_900...600_010)
            try await call.ends(.recoveryTimedOut)
        },
    ]

    private static let repeating: [Script] = [
        Script("A repeated operation has a new id each time, and ends with what is not recovered") {
            talk in
            try await talk.up.isLinked()
            let (node, tries): (Node, Mailbox<Int>) = (talk.node, Mailbox(talk.scheduler))
            var options = PresentationOptions()
            options.id = talk.id(1)
            let work = Task.detached { [options] in
                try await node.uplink.withRecovery(options: options) {
                    tries.add(1)
                    throw Talk.Trouble().recoverable {
                        RecoveryOption("Retry", id: "retry") { true }
                        RecoveryOption("Leave", id: "leave") { false }
                    }
                }
            }
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED")
            let second = try await talk.up.hears("PRESENT", "retry-of: \(talk.id(1))")
            let id = PresentationID(second["id"] ?? "") ?? talk.id(1)
            try talk.check(id != talk.id(1), "another id")
            talk.up.answer(id, "leave", as: talk.id(8))
            try await talk.up.hears("SETTLED", "result: failed")
            let result = await work.result
            try talk.check((try? result.get()) == nil, "it throws")
            try talk.check(tries.unread.count == 2, "\(tries.unread.count) tries")
            try await talk.up.hearsNothing(for: 500)
        },
        Script("A cancelled operation is not presented") { talk in
            try await talk.up.isLinked()
            let node: Node = talk.node
            let work = Task.detached {
                try await node.uplink.withRecovery { throw CancellationError() }
            }
            let result = await work.result
            try talk.check((try? result.get()) == nil, "it throws")
            try await talk.up.hearsNothing(for: 500)
        },
        Script(
            "An error that presents itself endlessly ends after 16",
            .relay.made { parts, talk in
                parts.chain = { next in
                    ClosureResponder(
                        "vain", next: next,
                        willPresent: { error, context in
                            talk.attempts.append("hook")
                            let inner = await talk.node.chain.presentError(
                                Talk.Trouble(), from: context)
                            if inner.reason == .tooManyHops { talk.attempts.append("ended") }
                            return nil
                        })
                }
            }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("ANSWER", "reason: withheld")
            try talk.check(
                talk.attempts == Array(repeating: "hook", count: 16) + ["ended"],
                "\(talk.attempts.count)")
        },
        Script(
            "A chain of 64 responders is the longest",
            .relay.made { parts, _ in
                parts.chain = { next in
                    (1...64).reduce(next) { chain, number in
                        ClosureResponder("r\(number)", next: chain)
                    }
                }
            }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
        },
        Script(
            "A chain of 65 responders is too long",
            .relay.made { parts, _ in
                parts.chain = { next in
                    (1...65).reduce(next) { chain, number in
                        ClosureResponder("r\(number)", next: chain)
                    }
                }
            }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "code: 483", in: 0...10)
        },
        Script(
            "What a hook presents with its own context is another presentation",
            .relay.made { parts, _ in
                parts.chain = { next in
                    ClosureResponder(
                        "noter", next: next,
                        willPresent: { error, context in
                            _ = await next.presentError(Talk.Trouble(), in: context)
                            return error
                        })
                }
            }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let note = try await talk.up.hears("PRESENT", "origin: hop", "path: hop", "no retry-of")
            talk.up.say("REJECT", "id: \(note["id"] ?? "")", "code: 410", "reason: gone")
            try await talk.up.takes(talk.id(1), "origin: kid", "path: kid,hop")
            try await kid.hears("ACCEPTED")
        },
    ]

    /// A presenter that returns an answer a second later, unless it is cancelled.
    private struct Later: Presenter {
        let talk: Talk
        var presenterName: String { "later" }

        func present(_ prompt: Prompt) async throws -> Answer? {
            if await talk.isCancelled(within: 1_000) {
                talk.attempts.append("cancelled")
                return nil
            }
            return Answer(option: "skip", by: "later", via: .policy)
        }
    }

    private static let several: [Script] = [
        Script(
            "Of two presenters that are asked at once the first answer counts",
            .top.made { parts, talk in
                parts.presenters = [
                    FirstOfPresenters([talk.desk, Later(talk: talk)], logger: parts.logger)
                ]
            }
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            try await talk.desk.hides(talk.id(1), in: 900...960)
            let said = try await kid.hears("ANSWER", "option: skip", "by: later", "via: policy")
            kid.settle(talk.id(1), PresentationID(said["answer"] ?? "") ?? talk.id(9), "failed")
            kid.present(talk.id(2))
            try await talk.desk.shows(talk.id(2))
            try talk.desk.answer(talk.id(2))
            try await talk.desk.hides(talk.id(2))
            try await kid.hears("ANSWER", "option: retry", "by: ann")
            try talk.check(talk.attempts == ["cancelled"], "\(talk.attempts)")
        },
        Script(
            "The answer that a presenter returns counts",
            .top.made { parts, talk in parts.presenters = [Later(talk: talk)] }
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("ANSWER", "option: skip", "by: later", in: 900...960)
        },
        Script(
            "An origin without people fails where it should ask them",
            .relay.set {
                $0.whenUnreachable = .presentLocally
                $0.grace = .seconds(1)
            }
        ) { talk in
            talk.up.die()
            try await talk.pause(100)
            let call = talk.asks(talk.id(1))
            try await call.ends(.unreachable, in: 990...1_010)
        },
        Script("An origin that holds waits for its parent") { talk in
            talk.up.die()
            try await talk.pause(100)
            let call = talk.asks(talk.id(1))
            try await call.waits(for: 60_000)
        },
        Script("An option that its rule rewrote needs what its owner wants") { talk in
            try await talk.up.isLinked()
            var options = PresentationOptions()
            options.id = talk.id(1)
            let error = Talk.Trouble().recoverable {
                RecoveryOption("Drop", id: "drop", needsTwoPeople: true) { true }
            }
            let call = talk.presents(
                error.rewriting { $0.options[0].needsTwoPeople = false }, options)
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), "drop", as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: invalid")
            try await call.ends(.notConfirmed)
        },
    ]
}
