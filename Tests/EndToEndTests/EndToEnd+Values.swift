import ErrorBus
import Foundation
import Testing

extension EndToEnd {
    /// Options that ask for values, from a shell and at a terminal.
    struct Values {
        private static let options = [
            "--option", "move=Move", "--option", "cancel=Cancel:cancel", "--field",
            "move.path=Path", "--field", "move.count=Count:number:default(3)", "--field",
            "move.pin=PIN:secret", "--json",
        ]

        private func present(_ sandbox: Sandbox, id: String) throws -> Launched {
            try Launched(
                ["present", "--to", sandbox.endpoint("relay"), "--description", "Boom", "--id", id]
                    + Self.options)
        }

        @Test("A41 A42 inbox answer gives values, a secret from a file; present prints them")
        func shell() async throws {
            let bus = try Inbox()
            let (nodes, address) = try await bus.start()
            let id = bus.id(1)
            let present = try present(bus.sandbox, id: id)
            let watch = try bus.inbox(address, "watch")
            #expect(await watch.prints("\(id)  open  error  present"))
            let secret = try bus.sandbox.write("pin", "hunter2\n")
            let shown = try bus.inbox(address, "show", id)
            #expect(try await shown.ending() == 0)
            #expect(await shown.prints("move asks for path: Path (1 to 4096 characters"))
            let none = try bus.inbox(address, "answer", id, "move", "--by", "ann")
            #expect(try await none.ending() == 64)
            #expect(await none.says("value of \"path\": found no value"))
            #expect(await none.says("value of \"pin\": found no value"))
            #expect(await none.says("; give --value path=VALUE --value-file pin=PATH"))
            let mistyped = try bus.inbox(
                address, "answer", id, "move", "--value", "paht=/srv", "--by", "ann")
            #expect(try await mistyped.ending() == 64)
            #expect(await mistyped.says("value of \"paht\": found a value of no field"))
            let argument = try bus.inbox(
                address, "answer", id, "move", "--value", "pin=hunter2", "--by", "ann")
            #expect(try await argument.ending() == 64)
            #expect(await argument.says("--value-file pin=PATH"))
            #expect(!argument.errors.value.contains("hunter2"))
            let answer = try bus.inbox(
                address, "answer", id, "move", "--value", "path=/srv", "--value-file",
                "pin=\(secret)", "--by", "ann")
            #expect(try await answer.ending() == 0)
            #expect(try await present.ending() == 0)
            let printed = try JSONValue(text: present.output.value)
            #expect(printed["values"] == ["path": "/srv", "count": 3, "pin": "hunter2"])
            let settled = try bus.inbox(address, "show", id, "--json")
            #expect(try await settled.ending() == 0)
            #expect(await settled.prints(#""secrets":["pin"]"#))
            #expect(!settled.output.value.contains("hunter2"))
            withExtendedLifetime(nodes) {}
        }

        @Test("A41 inbox answer --all-like expects values also where the one that it names ended")
        func ended() async throws {
            let bus = try Inbox()
            let (nodes, address) = try await bus.start()
            let presents = try (1...2).map { try present(bus.sandbox, id: bus.id($0)) }
            let watch = try bus.inbox(address, "watch")
            for number in 1...2 {
                #expect(await watch.prints("\(bus.id(number))  open  error  present"))
            }
            let pin = ["--value-file", "pin=-"]
            func answer(_ arguments: [String]) throws -> Launched {
                try bus.inbox(
                    ["answer", bus.id(1), "move", "--by", "ann", "--value", "path=/srv"]
                        + arguments, address, input: .text("hunter2\n"))
            }
            #expect(try await answer(pin).ending() == 0)
            #expect(try await presents[0].ending() == 0)
            let refused = try answer(["--all-like"])
            #expect(try await refused.ending() == 64)
            #expect(await refused.says("value of \"pin\": found no value"))
            #expect(try await answer(["--all-like"] + pin).ending() == 0)
            #expect(try await presents[1].ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("A41 A42 at a terminal inbox answer asks for the values that its arguments lack")
        func asked() async throws {
            let bus = try Inbox()
            let (nodes, address) = try await bus.start()
            let id = bus.id(1)
            let present = try present(bus.sandbox, id: id)
            let watch = try bus.inbox(address, "watch")
            #expect(await watch.prints("\(id)  open  error  present"))
            let pty = try Pty()
            let mode = pty.mode
            func answer(_ values: String...) throws -> Launched {
                try bus.inbox(
                    ["answer", id, "move", "--by", "ann"] + values.flatMap { ["--value", $0] },
                    address, input: .terminal(pty))
            }
            // Ended while a secret is asked for.
            let interrupted = try answer("path=/srv", "count=3")
            #expect(await pty.shows("Move: PIN"))
            #expect(pty.mode != mode)
            interrupted.send(SIGINT)
            _ = try await interrupted.ending()
            #expect(pty.mode == mode)
            let left = try answer("count=3")
            #expect(await pty.enter("\u{1B}", brings: "cancelled: nothing was answered"))
            #expect(try await left.ending() == 1)
            let given = try answer("count=3")
            #expect(await pty.enter("", brings: "found no value"))
            // The second line of a paste is no further value.
            #expect(await pty.enter("/tmp\nsecond", brings: "none of them was taken"))
            #expect(await pty.enter("/srv", brings: "Move: 2/2 PIN"))
            #expect(await pty.screen.becomes { $0.hasSuffix("> ") })
            pty.type("hunter2\n")
            #expect(try await given.ending() == 0)
            #expect(pty.mode == mode)
            #expect(!pty.screen.value.contains("hunter2"))
            #expect(try await present.ending() == 0)
            let printed = try JSONValue(text: present.output.value)
            #expect(printed["values"] == ["path": "/srv", "count": 3, "pin": "hunter2"])
            withExtendedLifetime(nodes) {}
        }

        @Test("A41 exec --show-secrets shows what looks like a secret, and none that was given")
        func shownSecrets() async throws {
            let bus = try Inbox()
            let (nodes, address) = try await bus.start()
            let watch = try bus.inbox(address, "watch", "--json")
            let exec = try bus.sandbox.exec(
                ["--show-secrets", "--field", "pin=PIN:secret"], "sh", "-c",
                #"echo "password=abcdefgh, PIN <$ERRORBUS_VALUE_PIN>" >&2; exit 3"#)
            #expect(await watch.prints("password=abcdefgh, PIN <>"))
            #expect(await exec.says("waiting for an answer (id …"))
            let id = exec.errors.value.components(separatedBy: "(id …").last?.prefix(8)
            let answer = try bus.inbox(
                address, "answer", String(try #require(id)), "retry-with", "--by", "ann",
                "--value-file", "pin=-", input: .text("hunter2\n"))
            #expect(try await answer.ending() == 0)
            #expect(await watch.prints("password=abcdefgh, PIN <***>"))
            #expect(!watch.output.value.contains("hunter2"))
            exec.send(SIGTERM)
            _ = try await exec.ending()
            withExtendedLifetime(nodes) {}
        }

        @Test("A41 A42 a terminal asks for one value after another, and does not show a secret")
        func terminal() async throws {
            let sandbox = try Sandbox()
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
            let nodes = [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
            func type(_ line: String, brings text: String) async {
                #expect(await pty.enter(line, brings: text))
            }
            let present = try present(sandbox, id: "01920001-0000-7000-8000-000000000000")
            #expect(await pty.shows("[m] Move"))
            await type("move", brings: "Move: 1/3 Path")
            #expect(await pty.pressReturn(brings: "found no value"))
            await type("/srv", brings: "Move: 2/3 Count")
            #expect(await pty.pressReturn(brings: "Move: 3/3 PIN"))
            await type("hunter2", brings: "answered: move")
            #expect(!pty.screen.value.contains("hunter2"))
            #expect(try await present.ending() == 0)
            let printed = try JSONValue(text: present.output.value)
            #expect(printed["values"] == ["path": "/srv", "count": 3, "pin": "hunter2"])
            withExtendedLifetime(nodes) {}
        }

        @Test("A paste of several lines is no value, and answers nothing")
        func paste() async throws {
            let sandbox = try Sandbox()
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
            let nodes = [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
            let present = try sandbox.present(
                "--option", "move=Move", "--option", "stay=Stay", "--field", "move.path=Path",
                "--field", "move.pin=PIN:secret")
            #expect(await pty.shows("[m] Move"))
            #expect(await pty.enter("m", brings: "1/2 Path"))
            #expect(
                await pty.enter("/srv\ns\nstay", brings: "none of them was taken; enter one line"))
            #expect(await pty.enter("/tmp", brings: "2/2 PIN"))
            #expect(await pty.enter("hunter2\ns\nstay", brings: "--value-file takes a secret of"))
            #expect(await pty.enter("hunter3", brings: "answered: move"))
            #expect(!pty.screen.value.contains("hunter"))
            #expect(try await present.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("The rest of a secret whose prompt has ended is not shown, and answers no other")
        func restOfSecret() async throws {
            let sandbox = try Sandbox()
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
            let nodes = [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
            let first = try sandbox.present(
                "--option", "move=Move", "--field", "move.pin=PIN:secret")
            #expect(await pty.shows("[m] Move"))
            #expect(await pty.enter("m", brings: "PIN"))
            let second = try sandbox.present("--option", "other=Other")
            pty.type("hun")
            first.send(SIGINT)
            #expect(await pty.shows("Press Return: what you have typed is dropped"))
            #expect(await pty.shows("[o] Other"))
            #expect(await pty.enter("o", brings: "(dropped: a value, whose prompt has ended)"))
            #expect(!pty.screen.value.contains("hun") && !pty.screen.value.contains("> o"))
            #expect(await pty.enter("o", brings: "answered: other"))
            #expect(try await second.ending() == 0)
            withExtendedLifetime(nodes) {}
        }
    }
}

extension JSONValue {
    fileprivate init(text: String) throws { self = try JSONValue.parse(Array(text.utf8)) }
}
