import ErrorBus
import Foundation
import Glibc
import Synchronization

/// The session of a full-screen inbox: it passes events to the screen, performs its actions, and
/// writes one frame for all events since the last.
package actor InboxScreenSession {
    private enum Input: Sendable {
        case terminal(TerminalEvents.Event)
        case feed(InboxFeed.Event)
        case failed(Failure)
        case reply(InboxRequest, Result<JSONValue, Failure>)
        /// A pause in a key's sequence, `count` inputs after the first.
        case pause(Int)
        case tick
    }

    /// Inputs that wait to be handled.
    private final class Box: Sendable {
        let waiting = Mutex<[Input]>([])
        let wakes: AsyncStream<Void>
        private let wake: AsyncStream<Void>.Continuation

        init() {
            (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        }

        func put(_ input: Input) {
            waiting.withLock { $0.append(input) }
            wake.yield()
        }

        func takeAll() -> [Input] { waiting.withLock { Swift.exchange(&$0, with: []) } }
    }

    private static let tick: Duration = .milliseconds(500)
    /// The pause between two frames, so that a flood of changes is drawn as one.
    private static let frameTime: Duration = .milliseconds(25)
    /// The time that a job may take to stop after a stop signal.
    private static let stopTime: Duration = .milliseconds(300)

    private let client: ConsoleClient
    private let person: String
    private let box = Box()
    private var screen: InboxScreen
    private var painter = ScreenPainter(isColored: Terminal.wantsColors)
    private var terminal = FullScreen()
    private var decoder = KeyDecoder()
    private var byteCount = 0
    private var suspendedAt: ContinuousClock.Instant?
    private var isQuitting = false
    private var tasks: [Task<Void, Never>] = []

    package init(_ client: ConsoleClient, person: String) {
        var client = client
        client.takeOver = InboxScreen.takeOver
        client.confirm = ""
        self.client = client
        self.person = person
        screen = InboxScreen(person: person, size: FullScreen.size)
    }

    /// Returns when the person quits.
    ///
    /// - Throws: When no console answers at the start, when it refuses, or when a signal ends this.
    package func run() async throws {
        // A failure at the start is reported on the normal screen.
        let client = client
        let box = box
        _ = try await client.get("/inbox?stage=open&limit=1")
        try TerminalEvents.start { box.put(.terminal($0)) }
        defer {
            for task in tasks { task.cancel() }
            terminal.leave()
        }
        try terminal.enter()
        tasks = [
            Task {
                do {
                    let feed = InboxFeed(client: client, stage: "all", listsAgain: true)
                    try await feed.run { box.put(.feed($0)) }
                } catch {
                    box.put(.failed(Failure(error)))
                }
            },
            Task {
                while (try? await Task.sleep(for: Self.tick)) != nil { box.put(.tick) }
            },
        ]
        for await _ in box.wakes {
            for input in box.takeAll() { try take(input) }
            if isQuitting { return sayFarewell() }
            try draw()
            try await Task.sleep(for: Self.frameTime)
        }
    }

    private func take(_ input: Input) throws {
        let now = Moment.now
        switch input {
        case .terminal(.bytes(let bytes, let time)):
            byteCount += bytes.count
            try press(decoder.take(bytes), at: time)
            if decoder.isWaiting {
                let (box, count) = (box, byteCount)
                Task {
                    try? await Task.sleep(for: KeyDecoder.pause)
                    box.put(.pause(count))
                }
            }
        case .pause(let count):
            if count == byteCount { try press(decoder.paused(), at: now) }
        case .terminal(.signal(let number)): try signalled(number)
        case .terminal(.ended): throw Interrupted(signal: SIGHUP)
        case .feed(let event): take(event, at: now)
        case .failed(let failure): throw failure
        case .reply(let request, let result): screen.replied(to: request, result, at: now)
        case .tick:
            // It was continued, or could not be stopped because no shell would continue it.
            if let suspendedAt, .now - suspendedAt > Self.stopTime { try resume() }
        }
    }

    private func take(_ event: InboxFeed.Event, at now: Moment) {
        switch event {
        case .listed(let list): screen.listed(list, at: now)
        case .hello(let hello): screen.greeted(hello)
        case .change(let change): screen.changed(change, at: now)
        case .lost(let reason): screen.lost(reason, at: now.instant)
        }
    }

    private func press(_ keys: [ScreenKey], at time: Moment) throws {
        guard suspendedAt == nil else { return }
        for key in keys where !isQuitting { try perform(screen.pressed(key, at: time)) }
    }

    private func perform(_ actions: [InboxScreen.Action]) throws {
        for action in actions {
            switch action {
            case .quit: isQuitting = true
            case .redraw: painter.forget()
            case .suspend: suspend()
            case .send(let request): send(request)
            }
        }
    }

    private func sayFarewell() {
        terminal.leave()
        for line in screen.farewell(at: .now) { Terminal.say("bus-node: \(line)") }
    }

    private func send(_ request: InboxRequest) {
        let (client, person, box) = (client, person, box)
        Task {
            do {
                let reply = try await request.sent(to: client, by: person)
                box.put(.reply(request, .success(reply)))
            } catch {
                box.put(.reply(request, .failure(Failure(error))))
            }
        }
    }

    // MARK: The terminal

    private func signalled(_ number: Int32) throws {
        switch number {
        case SIGWINCH: screen.resized(to: FullScreen.size)
        case SIGTSTP: suspend()
        case SIGCONT: try resume()
        default: throw Interrupted(signal: number)
        }
    }

    private func suspend() {
        guard suspendedAt == nil else { return }
        terminal.leave()
        suspendedAt = .now
        TerminalEvents.stop()
    }

    /// Restores the screen, unless the process is now in the background.
    private func resume() throws {
        guard FullScreen.isInForeground else { return }
        TerminalEvents.trap(SIGTSTP)
        suspendedAt = nil
        try terminal.enterAgain()
        // The end of a paste may have been discarded.
        decoder = KeyDecoder()
        painter.forget()
        screen.resized(to: FullScreen.size)
    }

    private func draw() throws {
        guard suspendedAt == nil else { return }
        let text = painter.paint(screen.frame(at: .now), screen.size)
        guard text.isEmpty || FullScreen.write(text) else { throw Interrupted(signal: SIGHUP) }
        try perform(screen.drawn(at: .now))
    }
}
