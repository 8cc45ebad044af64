import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Processes that die while a presentation is open.
    struct Deaths {
        private let bus: FaultyBus
        private let pty: Pty

        init() throws {
            bus = try FaultyBus(abandonAfter: "1s")
            pty = try Pty()
        }

        @Test(
            "F16 F34 The presenter dies, is started again and answered: one completion",
            arguments: [SIGKILL, SIGABRT])
        func presenterDies(signal: Int32) async throws {
            let first = try await bus.presenter(at: pty)
            let relay = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            try await first.die(signal)
            let later = try Pty()
            let second = try await bus.presenter(at: later)
            #expect(await later.shows("may have been shown before"))
            #expect(await later.shows(Pty.question))
            try bus.mend()
            later.type("r\n")
            #expect(try await worker.ending() == 0)
            #expect(bus.runCount == 2)
            #expect(bus.events("decide") == 1)
            withExtendedLifetime((relay, second)) {}
        }

        @Test(
            "F15 F34 The relay dies and is restarted: the presentation stays, one completion",
            arguments: [SIGKILL, SIGABRT])
        func relayDies(signal: Int32) async throws {
            let central = try await bus.presenter(at: pty)
            let first = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            try await first.die(signal)
            let second = try await bus.relay()
            try bus.mend()
            pty.type("r\n")
            #expect(try await worker.ending() == 0)
            #expect(bus.runCount == 2)
            #expect(pty.questionCount == 1)
            withExtendedLifetime((central, second)) {}
        }

        @Test("F15 Answered while the relay is dead: delivered to its next life, one completion")
        func answeredWithoutRelay() async throws {
            let central = try await bus.presenter(at: pty)
            let first = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            try await first.die()
            try bus.mend()
            pty.type("r\n")
            #expect(await pty.shows("answered: retry"))
            let second = try await bus.relay()
            #expect(try await worker.ending() == 0)
            #expect(bus.runCount == 2)
            #expect(pty.questionCount == 1)
            withExtendedLifetime((central, second)) {}
        }

        @Test("F15 The relay dies before the prompt: one prompt in the end")
        func relayDiesEarly() async throws {
            let first = try await bus.relay()
            let worker = try bus.worker()
            #expect(await worker.says("waiting for a link"))
            try await first.die()
            let second = try await bus.relay()
            let central = try await bus.presenter(at: pty)
            #expect(await pty.shows(Pty.question))
            try bus.mend()
            pty.type("r\n")
            #expect(try await worker.ending() == 0)
            #expect(bus.runCount == 2)
            #expect(pty.questionCount == 1)
            withExtendedLifetime((central, second)) {}
        }

        @Test("F13 A worker dies: its prompt shows it, ends, and accepts no more answers")
        func workerDies() async throws {
            let central = try await bus.presenter(at: pty)
            let relay = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            try await worker.die()
            #expect(await pty.shows("cannot be reached"))
            #expect(await pty.shows("(withdrawn,"))
            let before = pty.screen.value.count
            pty.type("r\n")
            #expect(await pty.shows("ignored:", after: before))
            #expect(pty.screen.value.dropFirst(before).contains("(withdrawn); no other prompt"))
            #expect(bus.events("decide") == 0)
            withExtendedLifetime((central, relay)) {}
        }

        @Test(
            "F14 The same id from the next life: one presentation, one answer to both")
        func asksAgain() async throws {
            let central = try await bus.presenter(at: pty)
            let relay = try await bus.relay()
            func present() throws -> Launched {
                try bus.sandbox.present(
                    "--id", "0195f3a0-0000-7000-8000-000000000001", "--option", "retry=Retry")
            }
            let first = try present()
            #expect(await pty.shows(Pty.question))
            try await first.die()
            let second = try present()
            // Its own link is up once it has the presentation: the answer goes to both ways.
            pty.type("r\n")
            #expect(try await second.ending() == 0)
            #expect(await second.prints("retry\n"))
            let third = try present()
            #expect(try await third.ending() == 0)
            #expect(await third.prints("retry\n"))
            #expect(pty.questionCount == 1)
            withExtendedLifetime((central, relay)) {}
        }

        @Test("F13 Ctrl-C withdraws the presentation at once")
        func interrupted() async throws {
            let central = try await bus.presenter(at: pty)
            let relay = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            worker.send(SIGINT)
            #expect(await pty.shows("(withdrawn,"))
            // By its word, not because it was missed.
            #expect(!pty.screen.value.contains("cannot be reached"))
            #expect(try await worker.ending() == 130)
            withExtendedLifetime((central, relay)) {}
        }

        @Test(
            "F17 A process stopped during the answer continues afterwards: one completion",
            arguments: ["central", "relay", "worker"])
        func standsStill(role: String) async throws {
            let central = try await bus.presenter(at: pty)
            let relay = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            let still = ["central": central, "relay": relay, "worker": worker][role]
            still?.send(SIGSTOP)
            try bus.mend()
            pty.type("r\n")
            if role != "central" { #expect(await pty.shows("answered: retry")) }
            still?.send(SIGCONT)
            #expect(try await worker.ending() == 0)
            #expect(bus.runCount == 2)
            #expect(bus.events("decide") == 1)
            // A terminal that goes on writes its prompt again.
            #expect(pty.questionCount == 1 || role == "central")
            withExtendedLifetime((central, relay)) {}
        }
    }
}
