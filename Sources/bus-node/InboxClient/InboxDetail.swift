import ErrorBus

/// One presentation as lines for people. Everything in it may come from a peer and is escaped.
struct InboxDetail {
    let lines: [String]

    init(_ item: JSONValue) {
        let report = item["report"] ?? .null
        var facts = [
            ("id", item.text("id")), ("stage", InboxRows.stage(item)),
            (
                "error",
                "\(item.text("domain")) \(item["code"]?.integerValue.map(String.init) ?? "")"
            ),
            ("severity", item.text("severity")), ("from", item.text("origin")),
            (
                "path",
                item["path"]?.arrayValue?.compactMap(\.stringValue).joined(separator: " > ") ?? ""
            ),
            ("opened", item.text("openedAt")), ("what", report.text("description")),
            ("why", report.text("failureReason")), ("help", report.text("recoverySuggestion")),
            ("retry of", report.text("retryOf")),
        ]
        if let count = item["retryCount"]?.integerValue, count > 0 {
            facts.append(("retries", "\(count)"))
        }
        if item["isReachable"]?.boolValue == false {
            facts.append(("origin", "cannot be reached: an answer is kept for it"))
        }
        facts += (report["userInfo"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.map {
            ("info", "\($0.key) = \($0.value.stringValue ?? Self.json($0.value))")
        }
        facts += (item["options"]?.arrayValue ?? []).map { option in
            let role = option.text("role")
            let text = "\(option.text("id")): \(option.text("title"))"
            return ("option", role.isEmpty ? text : "\(text) (\(role))")
        }
        if let answer = item["answer"], !answer.isNull {
            facts.append(("answer", "\(answer.text("option")) by \(answer.text("by"))"))
        }
        facts += (item["history"]?.arrayValue ?? []).map { event in
            let fields = (event["fields"]?.objectValue ?? [:]).sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.stringValue ?? Self.json($0.value))" }
            let words = [event.text("time"), event.text("event")] + fields
            return ("event", words.joined(separator: " "))
        }
        lines = facts.filter { !$0.1.allSatisfy(\.isWhitespace) }.map { name, text in
            name.padding(toLength: 10) + text.shown()
        }
    }

    private static func json(_ value: JSONValue) -> String {
        String(decoding: value.encoded(), as: UTF8.self)
    }
}
