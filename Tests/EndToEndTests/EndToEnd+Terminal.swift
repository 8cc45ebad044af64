import Foundation
import Glibc
import Testing

extension EndToEnd {
    struct Terminal {
        let sandbox: Sandbox
        let pty: Pty
        init() throws {
            sandbox = try Sandbox()
            pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
        }

        private func bus() async throws -> [Launched] {
            [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
        }

        /// Types a line and waits for what it brings to the screen.
        private func type(_ line: String, brings text: String) async {
            let before = pty.screen.value.count
            pty.type(line + "\n")
            #expect(await pty.shows(text, after: before))
        }

        @Test("A21 A22 Help and wrong keys answer nothing; Return takes the default")
        func keys() async throws {
            let nodes = try await bus()
            let present = try sandbox.present(
                "--option", "retry=Retry:default", "--option", "cancel=Cancel:cancel", "--reason",
                "It is full.", "--suggestion", "Empty it.", "--help-anchor", "full-disk")
            #expect(await pty.shows("[r] Retry (Return)   [c] Cancel"))
            #expect(pty.screen.value.contains("Boom"))
            #expect(pty.screen.value.contains("It is full."))
            #expect(pty.screen.value.contains("Empty it."))
            await type("?", brings: "Nothing was answered.")
            #expect(pty.screen.value.contains("full-disk"))
            await type("x", brings: "\"x\" is no choice here")
            await type("99", brings: "is no choice here")
            await type("", brings: "answered: retry")
            #expect(try await present.ending() == 0)
            #expect(await present.prints("retry\n"))
            withExtendedLifetime(nodes) {}
        }

        @Test("A20 Return never takes what is destructive, unless it is declared the default")
        func destructive() async throws {
            let nodes = try await bus()
            let undeclared = try sandbox.present(
                "--option", "wipe=Wipe:destructive", "--option", "cancel=Cancel:cancel")
            #expect(await pty.shows("[w] Wipe (destructive)   [c] Cancel"))
            await type("", brings: "there is no default here")
            await type("c", brings: "answered: cancel")
            #expect(try await undeclared.ending() == 1)
            let declared = try sandbox.present(
                "--option", "wipe=Wipe:destructive:default", "--option", "cancel=Cancel:cancel")
            #expect(await pty.shows("[w] Wipe (destructive) (Return)"))
            await type("", brings: "answered: wipe")
            #expect(try await declared.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("What was typed before a question was on the screen does not answer it")
        func typedAhead() async throws {
            let nodes = try await bus()
            let first = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            let second = try sandbox.present("--option", "two=Two:default")
            // Both questions are at central: the second waits behind the first.
            let areBothThere = await eventually { [sandbox] in
                let log = (try? sandbox.read("central.jsonl")) ?? ""
                return log.components(separatedBy: "\"event\":\"present\"").count == 3
            }
            #expect(areBothThere)
            // The second Return and the third line were typed for the first question.
            pty.type("o\n\nt\n")
            #expect(try await first.ending() == 0)
            #expect(await pty.shows("[t] Two"))
            await type("?", brings: "Nothing was answered.")
            await type("t", brings: "answered: two")
            #expect(try await second.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("When the terminal ends, the question goes on to nobody and its origin is told")
        func endOfInput() async throws {
            let nodes = try await bus()
            let present = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            pty.type("\u{4}")
            #expect(try await present.ending() == 69)
            withExtendedLifetime(nodes) {}
        }
    }
}
