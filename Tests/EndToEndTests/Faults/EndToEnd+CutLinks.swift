import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Links that fail while a presentation is open.
    struct CutLinks {
        private let pty: Pty
        init() throws { pty = try Pty() }

        @Test(
            "F1 F2 F4 Answered while the link is cut: delivered when it is back, one prompt",
            arguments: ["down", "reset_peer", "slow_close"])
        func answeredWhileCut(how: String) async throws {
            let bus = try FaultyBus(relayNext: ["ipc://$DIR/link.sock"])
            let central = try await bus.presenter(at: pty)
            let link = try await ProxiedLink(bus.sandbox, to: "central")
            let relay = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            if how != "down" { try link.add(how, stream: "downstream") }
            if how != "reset_peer" { try link.setUp(false) }
            #expect(await worker.says("waiting for a link to central"))
            try bus.mend()
            pty.type("r\n")
            #expect(await pty.shows("answered: retry"))
            #expect(bus.runCount == 1)
            try link.heal()
            #expect(try await worker.ending() == 0)
            #expect(bus.runCount == 2)
            #expect(pty.questionCount == 1)
            withExtendedLifetime((central, relay)) {}
        }

        @Test("F16 F19 Answered while the link is cut, then killed: delivered, no second prompt")
        func killedWithTheAnswer() async throws {
            let bus = try FaultyBus(relayNext: ["ipc://$DIR/link.sock"])
            let first = try await bus.presenter(at: pty)
            let link = try await ProxiedLink(bus.sandbox, to: "central")
            let relay = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            try link.setUp(false)
            try bus.mend()
            pty.type("r\n")
            #expect(await pty.shows("answered: retry"))
            try await first.die()
            let later = try Pty()
            let second = try await bus.presenter(at: later)
            try link.heal()
            #expect(try await worker.ending() == 0)
            #expect(bus.runCount == 2)
            #expect(later.questionCount == 0)
            withExtendedLifetime((relay, second)) {}
        }

        @Test("F12 F33 The first of two parents dies: the second asks, one completion")
        func failOver() async throws {
            let bus = try FaultyBus(relayNext: ["central", "second"])
            let central = try await bus.presenter(at: pty)
            let other = try Pty()
            let second = try await bus.presenter("second", at: other)
            let relay = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            #expect(other.questionCount == 0)
            try await central.die()
            #expect(await other.shows(Pty.question))
            try bus.mend()
            other.type("r\n")
            #expect(try await worker.ending() == 0)
            #expect(bus.runCount == 2)
            withExtendedLifetime((relay, second)) {}
        }

        @Test(
            "F33 Both parents are asked, since the first was cut off, and both answer: one counts")
        func bothAnswer() async throws {
            let bus = try FaultyBus(relayNext: ["ipc://$DIR/link.sock", "second"])
            let central = try await bus.presenter(at: pty)
            let link = try await ProxiedLink(bus.sandbox, to: "central")
            let other = try Pty()
            let second = try await bus.presenter("second", at: other)
            let relay = try await bus.relay()
            let worker = try bus.worker()
            #expect(await pty.shows(Pty.question))
            try link.setUp(false)
            #expect(await other.shows(Pty.question))
            try bus.mend()
            pty.type("a\n")
            #expect(await pty.shows("answered: abort"))
            other.type("r\n")
            #expect(try await worker.ending() == 0)
            try link.heal()
            #expect(bus.runCount == 2)
            withExtendedLifetime((central, relay, second)) {}
        }

        @Test("F3 F12 A black hole, both ways or one, is detected; healed, the answer arrives")
        func blackHole() async throws {
            let bus = try FaultyBus()
            let central = try await bus.presenter(at: pty)
            let ways = [["upstream"], ["downstream"], ["upstream", "downstream"]]
            var links: [ProxiedLink] = []
            var workers: [Launched] = []
            for (index, way) in ways.enumerated() {
                let link = try await ProxiedLink(bus.sandbox, to: "central", name: "l\(index)")
                links.append(link)
                workers.append(try bus.worker(to: "l\(index)"))
                let isAsked = await eventually { bus.events("present") == index + 1 }
                #expect(isAsked)
                for stream in way { try link.add("blackhole", stream: stream) }
            }
            for worker in workers {
                #expect(await worker.says("waiting for a link"))
            }
            for link in links { try link.heal() }
            try bus.mend()
            // A prompt is drawn again when its link is back, so they are not counted.
            // They are equal: one answer is for those that have been there for a second.
            for _ in 1...3 where bus.events("decide") < 3 {
                #expect(await pty.enter("r", brings: "answered: retry"))
                let goesOn = await eventually { [pty] in
                    bus.events("decide") == 3 || pty.screen.value.hasSuffix("> ")
                }
                #expect(goesOn)
            }
            for worker in workers { #expect(try await worker.ending() == 0) }
            #expect(bus.runCount == 6)
            #expect(bus.events("decide") == 3)
            withExtendedLifetime(central) {}
        }
    }
}
