import ErrorBus
import Foundation

/// What the node of a ``Script`` can have beside its desk.
// Unchecked: see Scheduler.
final class Beside: @unchecked Sendable {
    /// The silences in front of the desk.
    let silences = Silences(now: { .now })
    /// The numbers of the silences that have kept something from people, and whether by an answer.
    var kept: [(number: Int, isAnswered: Bool)] = []
    /// The second inbox of the node.
    var second: Desk!
    /// The rules, to replace them.
    var rules: RuleResponder?
    /// The commands of added options that ran.
    var commands: [RuleCommand] = []
    /// How the next command ends.
    var exit = CommandResult.Status.exited(0)
    /// The clock on the wall of rules, in seconds since 1970.
    var wall: Double = 0
}

/// One command that ran.
struct RuleCommand {
    let command: [String]
    let environment: [String: String]
    let input: String
}

/// Notes the commands, and ends them as the script has it.
private struct NotedCommands: CommandRunner {
    let beside: Beside

    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult {
        beside.commands.append(
            RuleCommand(
                command: command, environment: environment,
                input: String(decoding: input, as: UTF8.self)))
        return CommandResult(status: beside.exit, standardOutput: [], standardErrorTail: "")
    }
}

/// Both get each event.
private struct BothLogs: AuditLog {
    let first: (any AuditLog)?
    let second: any AuditLog

    func record(_ event: PresentationEvent) {
        first?.record(event)
        second.record(event)
    }
}

extension Hop {
    /// A node with people whose policy has these rules.
    static func policy(_ rules: [Rule], mode: RuleBook.Mode = .firstMatch) -> Hop {
        Hop.top.made { parts, talk in
            parts.presenting = { [parts] next in
                talk.ruled(
                    rules, mode, parts,
                    next: PresentingResponder(
                        "hop", presenters: parts.presenters, next: next, journal: talk.notebook,
                        audit: parts.audit, logger: parts.logger),
                    journal: talk.notebook)
            }
        }
    }

    /// This node, with these rules as its chain.
    func ruled(_ rules: [Rule]) -> Hop {
        made { parts, talk in
            parts.chain = { [parts] next in talk.ruled(rules, .everyMatch, parts, next: next) }
        }
    }

    /// A node with people, behind silences.
    static let silencing = Hop.top.made { parts, talk in
        let presenter = SilencingPresenter(
            talk.beside.silences, audit: parts.audit, logger: parts.logger
        ) { talk.beside.kept.append(($0, $1)) }
        parts.presenters.insert(presenter, at: 0)
    }

    /// A node that presents equal errors as one.
    func coalescing(_ memberCountMax: Int = 256) -> Hop {
        made { parts, _ in
            parts.chain = {
                CoalescingResponder("equal", next: $0, memberCountMax: memberCountMax)
            }
        }
    }

    /// This node with two inboxes: the second gets what the first declines, or leaves open for
    /// this time.
    func escalating(after time: UInt64? = nil) -> Hop {
        with { $0.inbox.escalateAfter = time.map { .milliseconds($0) } }.made { parts, talk in
            let boss = Desk("boss", InboxLimits(), talk.scheduler)
            talk.beside.second = boss
            parts.presenters.append(boss)
            parts.audit = BothLogs(first: parts.audit, second: boss.inbox)
        }
    }

    /// This node with two inboxes that get each prompt at once.
    var bothAtOnce: Hop {
        made { parts, talk in
            let boss = Desk("boss", InboxLimits(), talk.scheduler)
            talk.beside.second = boss
            parts.presenters = [FirstOfPresenters([talk.desk, boss], logger: parts.logger)]
            parts.audit = BothLogs(first: parts.audit, second: boss.inbox)
        }
    }

    /// The same with other limits of the inbox.
    func inbox(_ limits: (inout InboxLimits) -> Void) -> Hop { with { limits(&$0.inbox) } }
}

extension Talk {
    fileprivate func ruled(
        _ rules: [Rule], _ mode: RuleBook.Mode, _ parts: NodeParts, next: any Responder,
        journal: (any DecisionJournal)? = nil
    ) -> any Responder {
        let beside = beside
        let responder = RuleResponder(
            "hop", book: RuleBook(rules, mode: mode), next: next, routes: parts.routes,
            commands: RuleCommands(runner: NotedCommands(beside: beside)), journal: journal,
            audit: parts.audit, logger: parts.logger,
            timing: RuleTiming(
                now: { .now }, date: { .init(timeIntervalSince1970: beside.wall) },
                part: { $0 }))
        beside.rules = responder
        return responder
    }
}

extension Rule {
    /// A rule that answers.
    static func answers(
        _ answer: RuleAnswer, _ match: RuleMatch = RuleMatch(), position: Int = 1,
        schedule: RuleSchedule? = nil, isDryRun: Bool = false
    ) -> Rule {
        Rule(
            match: match, actions: [.answer(answer)], position: position, schedule: schedule,
            isDryRun: isDryRun)
    }

    /// A rule that does these.
    static func does(
        _ actions: RuleAction..., about match: RuleMatch = RuleMatch(), position: Int = 1,
        schedule: RuleSchedule? = nil, isDryRun: Bool = false
    ) -> Rule {
        Rule(
            match: match, actions: actions, position: position, schedule: schedule,
            isDryRun: isDryRun)
    }
}

extension RuleMatch {
    /// Errors with this code.
    static func code(_ code: Int) -> RuleMatch { RuleMatch(code: [.exact("\(code)")]) }
}
