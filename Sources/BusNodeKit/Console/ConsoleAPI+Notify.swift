import DequeModule
import ErrorBus
import Hummingbird

// Hooks, and messages that were not delivered.
extension ConsoleAPI {
    var hookList: JSONValue {
        guard let notifier = console.notifier else {
            return ["hooks": [], "dead": [], "removed": 0, "isKept": false]
        }
        let machine = notifier.machine
        return [
            "hooks": .array(machine.hooks.map(\.json)),
            "dead": .array(machine.dead.map { $0.json(notifier.writer) }),
            "removed": .count(machine.forgottenCount),
            "isKept": .bool(notifier.keepsLetters),
        ]
    }

    func retryLetter(
        _ text: String, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws(APIProblem) -> Response {
        let by = try visitor.name(in: try BodyFields(body, allowing: "by"))
        guard let number = Int(text), let notifier = console.notifier else {
            throw APIProblem(.notFound, "unknownLetter", "no dead letter \(text.shown()) here")
        }
        do throws(NotifyRefusal) {
            console.note(.resend(try notifier.retry(number)), by: by)
        } catch {
            throw APIProblem(error)
        }
        return Response(["number": .count(number)])
    }
}

extension HookMachine {
    /// The hook without the path of its URL, which may be a secret.
    var json: JSONValue {
        let on = HookSettings.Event.allCases.filter(settings.events.contains).map(\.rawValue)
        return [
            "name": settings.name.json, "address": .string(settings.url.address), "on": on.json,
            "body": .string(settings.body.rawValue), "sent": .count(sentCount),
            "waiting": .count(waiting.count), "summedUp": .count(summary?.count ?? 0),
            "problem": .text(failure?.reason), "failedTries": .count(failure?.tries ?? 0),
            "failingSince": failure.map { .time($0.since.date) } ?? .null,
        ]
    }
}

extension DeadLetter {
    func json(_ writer: NotifyWriter) -> JSONValue {
        let message = failed.message
        return [
            "number": .count(number), "hook": hook.json, "message": .string(message.id),
            "event": .string(message.event), "count": .count(message.count),
            "title": .string(writer.title(message)), "link": .string(writer.link(message)),
            "presentation": .text(message.presentation), "tries": .count(failed.tries),
            "problem": .string(failed.reason), "at": .time(diedAt.date),
        ]
    }
}
