import ArgumentParser

/// `bus-node inbox`: what waits for people at a node with a console, and answering it.
struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "See what waits for an answer at a console, and answer it from a shell.",
        usage: "bus-node inbox [--to ADDRESS | --topology FILE [--node NODE]] [--by PERSON] ...",
        discussion: """
            At a terminal the inbox fills the screen; elsewhere, or with --json, it is listed. \
            Talks to the console of a running node. Exits 0 when done, 1 when the console refused \
            (an answer was first, no such presentation), 64 when the option is not \
            offered, 69 when no console is there, 77 when the token is missing or another.

            Every subcommand, and inbox without one, takes: --to ADDRESS (else BUS_NODE_CONSOLE), \
            or --topology FILE (else BUS_NODE_TOPOLOGY) with --node NODE where several nodes have \
            a console; --token-file FILE (else the token itself in BUS_NODE_CONSOLE_TOKEN). \
            Without a subcommand also: --by PERSON, who decides; --stage, --limit and --json, \
            which list. bus-node inbox screen --help has them one by one.

            Example: bus-node inbox --to 'http://127.0.0.1:8080/?token=...'
            """,
        subcommands: [
            InboxFullScreen.self, InboxList.self, InboxShow.self, InboxAnswer.self, InboxUndo.self,
            InboxClaim.self, InboxWatch.self, InboxSilence.self,
        ],
        defaultSubcommand: InboxFullScreen.self)
}
