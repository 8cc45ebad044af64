import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Standard error that its reader does not take: a log collector that hangs, a terminal after
    /// Ctrl-S. What is said there waits, or is dropped and counted; the node goes on.
    struct UnreadErrors {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private var endpoint: String { sandbox.endpoint("central") }

        /// `central`, its standard error a pipe that is not read unless a reader comes.
        private func start() async throws -> Launched {
            try? FileManager.default.removeItem(atPath: sandbox.path("up"))
            // Opened for reading too, so that it opens without a reader.
            let script = """
                exec "$0" run --topology $DIR/topology.yaml --node central --log-level debug \
                --ready-file $DIR/up 2<>$DIR/errors
                """.replacing("$DIR", with: sandbox.folder)
            let central = try Launched(["-c", script, Launched.busNode], program: "/bin/sh")
            let isUp = await eventually { [sandbox] in sandbox.exists("up") }
            try #require(isUp)
            return central
        }

        @Test(
            "SIGTERM ends a node within a second, even with a backlog on standard error",
            arguments: [0, 300])
        func goesDownSoon(lineCount: Int) async throws {
            try sandbox.writeTopology(listening: endpoint)
            try #require(mkfifo(sandbox.path("errors"), 0o600) == 0)
            var times: [Duration] = []
            // On a busy machine one takes longer; where the promise is broken, all do.
            while times.count < 10, times.allSatisfy({ $0 >= .seconds(1) }) {
                let central = try await start()
                try FloodingChild(to: endpoint, name: "worker").comeAndGo(lineCount)
                times.append(try await central.goesDown())
            }
            #expect(times.contains { $0 < .seconds(1) }, "\(times)")
        }

        @Test("A pipe that is not read: links come and go, a client is answered, SIGTERM ends it")
        func pipe() async throws {
            try sandbox.writeTopology(listening: endpoint)
            try #require(mkfifo(sandbox.path("errors"), 0o600) == 0)
            let central = try await start()
            // Ten lines each, 600 bytes and more: beyond the pipe, and beyond the queue.
            try FloodingChild(to: endpoint, name: "worker").comeAndGo(1_500)
            let answered = try sandbox.presentRetry(to: endpoint)
            #expect(try await answered.ending() == 0)
            let reader = try Launched([sandbox.path("errors")], program: "/bin/cat")
            #expect(await reader.prints("messages were not written: standard error was not read"))
            reader.send(SIGKILL)
            try FloodingChild(to: endpoint, name: "worker").comeAndGo(1_500)
            central.send(SIGTERM)
            #expect(try await central.ending() == 0)
        }

        @Test("A terminal that shows nothing: the node goes on, and its prompt is shown later")
        func terminal() async throws {
            let pty = try Pty()
            try sandbox.writeTopology(listening: endpoint, presenter: "terminal")
            let central = try await sandbox.start(
                "central", input: .terminal(pty), options: ["--log-level", "debug"])
            #expect(await pty.shows("node is up"))
            pty.stop(true)
            try FloodingChild(to: endpoint, name: "worker").comeAndGo(1_500)
            let asking = try sandbox.presentRetry(to: endpoint)
            let status = try Launched(["status", "--to", endpoint])
            #expect(try await status.ending() == 0)
            #expect(await status.prints("central"))
            // Typed while the prompt could not be seen.
            pty.type("r\n")
            pty.stop(false)
            #expect(await pty.shows("messages were not written"))
            #expect(await pty.shows("[r] Retry"))
            pty.type("r\n")
            #expect(try await asking.ending() == 0)
            withExtendedLifetime(central) {}
        }
    }
}
