import Foundation
import Testing

extension EndToEnd.InboxScreen {
    private func id(_ last: Int) -> String { "0192000\(last)-0000-7000-8000-000000000000" }

    private func inbox(_ address: String, _ arguments: String...) throws -> Launched {
        try Launched(["inbox"] + arguments + ["--to", address, "--token-file", token])
    }

    @Test("A note written at the screen is at the console; another person's comes to the screen")
    func notes() async throws {
        let (nodes, screen) = try await start()
        let address = try address(of: nodes[0])
        let present = try sandbox.present("--id", id(1), "--option", "retry=Retry")
        #expect(await pty.shows("Boom"))
        pty.type("n")
        #expect(await pty.shows("Note on Boom: "))
        // Of pasted text the first line; its keys press nothing.
        pty.type("\u{1B}[200~called Bob\nrq\u{1B}[201~")
        #expect(await pty.shows("called Bob▏"))
        pty.type("\r")
        #expect(await pty.shows("note written"))
        #expect(await pty.shows(": called Bob"))
        #expect(await pty.shows("✎1"))
        let note = try inbox(address, "note", id(1), "a new disk is on its way", "--by", "bob")
        #expect(try await note.ending() == 0)
        #expect(await pty.shows(": a new disk is on its way"))
        #expect(await pty.shows("✎2"))
        let show = try inbox(address, "show", id(1))
        #expect(try await show.ending() == 0)
        #expect(await show.prints("ann: called Bob"))
        // What the console refuses stays in the line, below its reason.
        pty.type("n\u{2060}\r")
        #expect(await pty.shows("allowed: a text of 1 to 1000 characters"))
        #expect(present.output.value.isEmpty)
        pty.type("\u{3}")
        #expect(try await screen.ending() == 0)
        withExtendedLifetime((nodes, present)) {}
    }

    @Test("A26 a group is answered without the member that was left out, and undone as a part")
    func parts() async throws {
        let (nodes, screen) = try await start()
        var presents: [Launched] = []
        for (number, text) in [(1, "Boom"), (2, "×2"), (3, "×3")] {
            presents.append(try sandbox.present("--id", id(number), "--option", "retry=Retry"))
            #expect(await pty.shows(text))
        }
        pty.type("\r")
        #expect(await pty.shows("▾"))
        pty.type("jjx")
        #expect(await pty.shows("2/3"))
        #expect(await pty.shows("left out"))
        pty.type("kk")
        #expect(await pty.shows("the first of 3, 1 left out"))
        let asked = "Retry: 2 of the 3 in this group, or only the first of them?"
        await press("r", brings: asked)
        #expect(await pty.shows("2 presentations"))
        await press("y", brings: "u takes back", after: asked)
        await press("u", brings: "2 taken back")
        // The reply may come before the change: only then they are open again.
        #expect(await pty.shows("claimed by you"))
        await press("r", brings: asked)
        await press("y", brings: "u takes back", after: asked)
        for index in [0, 2] {
            #expect(try await presents[index].ending() == 0)
            #expect(await presents[index].prints("retry"))
        }
        #expect(presents[1].output.value.isEmpty)
        #expect(await pty.shows("2 recovered: Boom"))
        // It is left as a presentation of its own.
        await press("r", brings: "u takes back")
        #expect(try await presents[1].ending() == 0)
        pty.type("q")
        #expect(try await screen.ending() == 0)
        withExtendedLifetime(nodes) {}
    }

    @Test("A26 c at the row of a group claims all of it at the console")
    func claimsGroup() async throws {
        let (nodes, screen) = try await start()
        var presents: [Launched] = []
        for (number, text) in [(1, "Boom"), (2, "×2")] {
            presents.append(try sandbox.present("--id", id(number), "--option", "retry=Retry"))
            #expect(await pty.shows(text))
        }
        await press("c", brings: "2 claimed")
        let address = try address(of: nodes[0])
        for number in 1...2 {
            let show = try inbox(address, "show", id(number))
            #expect(try await show.ending() == 0)
            #expect(await show.prints("Claimed by ann"))
        }
        pty.type("q")
        #expect(try await screen.ending() == 0)
        withExtendedLifetime((nodes, presents)) {}
    }
}
