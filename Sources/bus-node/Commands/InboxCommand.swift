import ArgumentParser

/// `bus-node inbox`: what waits for people at a node with a console, and answering it.
struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "See what waits for an answer at a console, and answer it from a shell.",
        discussion: """
            At a terminal the inbox fills the screen; elsewhere, or with --json, it is listed. \
            Talks to the console of a running node. Exits 0 when done, 1 when the console refused \
            (somebody was first, no such presentation), 64 when the option is not offered, 69 when \
            no console is there, 77 when the token is missing or another.

            Example: bus-node inbox --to 'http://127.0.0.1:8080/?token=...'
            """,
        subcommands: [
            InboxFullScreen.self, InboxList.self, InboxShow.self, InboxAnswer.self, InboxUndo.self,
            InboxClaim.self, InboxWatch.self, InboxSilence.self,
        ],
        defaultSubcommand: InboxFullScreen.self)
}
