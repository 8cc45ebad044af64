package import ErrorBus

/// The changes of a console that are news to a watcher. After a restart of the node a console sends
/// all its presentations again, even if they ended long before.
package struct WatchedChanges: Sendable {
    /// The open presentations, each with its stage and the time of it.
    private var open: [String: String] = [:]
    /// The latest time of a change.
    private var latest = ""
    private var isRepetition = false

    package init() {}

    /// Begins the events that replace all earlier ones, until the last of them has come.
    package mutating func begin(_ hello: JSONValue) {
        isRepetition = hello["isReset"]?.boolValue == true
    }

    /// The items of a list or a change that are news.
    package mutating func news(in change: JSONValue) -> [JSONValue] {
        let items = change["items"]?.arrayValue ?? []
        let news = items.filter { !isRepetition || isNews($0) }
        for item in items {
            let isOpen = ["open", "claimed", "leaving"].contains(item.text("stage"))
            open[item.text("id")] = isOpen ? Self.standing(of: item) : nil
            latest = max(latest, item.text("changedAt"))
        }
        if change["isLast"]?.boolValue != false { isRepetition = false }
        return news
    }

    private func isNews(_ item: JSONValue) -> Bool {
        guard let known = open[item.text("id")] else { return item.text("changedAt") > latest }
        return known != Self.standing(of: item)
    }

    private static func standing(of item: JSONValue) -> String {
        "\(item.text("stage")) \(item.text("changedAt"))"
    }
}
