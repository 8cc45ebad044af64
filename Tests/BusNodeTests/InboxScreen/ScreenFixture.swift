import ErrorBus
import ErrorBusTesting
import Foundation

@testable import BusNodeKit

/// A screen with a console behind it that tests make up.
struct ScreenFixture {
    static let date = Date(timeIntervalSince1970: 1_795_255_200)
    static let small = ScreenSize(columns: 80, rows: 24)
    static let large = ScreenSize(columns: 200, rows: 50)

    var screen: InboxScreen
    private(set) var now = ManualTime(date: date).now
    private var painter = ScreenPainter(isColored: true)
    private(set) var grid: ScreenGrid
    private var revision: Int64 = 100

    init(_ items: [JSONValue] = [], size: ScreenSize = small) {
        screen = InboxScreen(person: "ann", size: size)
        grid = ScreenGrid(size)
        list(items)
        draw()
    }

    static func id(_ number: Int) -> String {
        "01920000-0000-7000-8000-" + String(repeating: "0", count: 12 - "\(number)".count)
            + "\(number)"
    }

    /// One presentation; other fields than these as a console has them.
    static func item(_ number: Int, _ more: [String: JSONValue] = [:]) -> JSONValue {
        var fields: [String: JSONValue] = [
            "id": .string(id(number)), "stage": "open", "group": .integer(Int64(number)),
            "revision": .integer(Int64(number)), "severity": "error", "origin": "worker",
            "domain": "app.disk", "code": 28, "description": .string("Disk \(number) is full"),
            "path": ["worker", "relay"], "openedAt": time(secondsAgo: 90),
            "changedAt": time(secondsAgo: 30), "isReachable": true,
            "options": [
                ["id": "retry", "title": "Retry", "role": "default"],
                ["id": "skip", "title": "Skip it", "role": nil],
                ["id": "wipe", "title": "Wipe", "role": "destructive"],
                ["id": "cancel", "title": "Cancel", "role": "cancel"],
            ],
        ]
        fields.merge(more) { $1 }
        var object: JSONValue = [:]
        if case .object(var known) = object {
            for (key, value) in fields { known[key] = value }
            object = .object(known)
        }
        return object
    }

    static func time(secondsAgo: Double) -> JSONValue {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return .string((date - secondsAgo).formatted(style))
    }

    mutating func list(_ items: [JSONValue]) {
        screen.listed(
            ["node": "central", "revision": .integer(revision), "items": .array(items)], at: now)
    }

    mutating func change(_ items: JSONValue...) {
        revision += 1
        screen.changed(["revision": .integer(revision), "items": .array(items)], at: now)
    }

    /// Time goes by, and the screen is drawn as it then is.
    mutating func wait(_ duration: Duration) {
        let seconds = Double(duration / .milliseconds(1)) / 1_000
        now = Moment(instant: now.instant + duration, date: now.date + seconds)
        draw()
    }

    @discardableResult
    mutating func draw() -> [InboxScreen.Action] {
        if grid.size != screen.size { grid = ScreenGrid(screen.size) }
        grid.write(painter.paint(screen.frame(at: now), screen.size))
        return screen.drawn(at: now.instant)
    }

    /// Keys of a person who looks first; what comes of the last.
    @discardableResult
    mutating func press(_ keys: ScreenKey...) -> [InboxScreen.Action] {
        var actions: [InboxScreen.Action] = []
        for key in keys {
            wait(.milliseconds(500))
            actions = screen.pressed(key, at: now)
            draw()
        }
        return actions
    }

    mutating func reply(_ request: InboxRequest, _ reply: JSONValue) {
        screen.replied(to: request, .success(reply), at: now)
        draw()
    }

    mutating func refuse(_ request: InboxRequest, _ failure: Failure) {
        screen.replied(to: request, .failure(failure), at: now)
        draw()
    }

    var text: String { grid.text }

    func row(_ number: Int) -> String {
        String(text.split(separator: "\n", omittingEmptySubsequences: false)[number])
    }
}
