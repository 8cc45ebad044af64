import ErrorBus
import Synchronization
import Testing

@testable import BusNodeKit

struct WaitingNoticeTests {
    @Test("The wait for an answer is printed once; a quick link is not mentioned")
    func once() {
        let lines = Lines()
        let notice = WaitingNotice { line in lines.all.withLock { $0.append(line) } }
        let stations: [PresentationState.Station] = [
            .unreachable, .relayed, .queued, .presented, .claimed, .unreachable, .queued,
        ]
        for station in stations {
            notice.stateChanged(PresentationState(station, by: "con\u{1B}sole"))
        }
        #expect(lines.all.withLock { $0 } == ["waiting for an answer by con\\u{1B}sole"])
    }

    @Test("A link that goes later is missed each time, and then the wait for an answer goes on")
    func linkGoes() async {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let notice = WaitingNotice(linkTime: .zero) { continuation.yield($0) }
        var said = lines.makeAsyncIterator()
        for _ in 1...2 {
            notice.stateChanged(PresentationState(.presented))
            let asked = await said.next()
            #expect(asked == "waiting for an answer")
            notice.stateChanged(PresentationState(.unreachable))
            let missed = await said.next()
            #expect(missed == "waiting for a link")
        }
    }

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }
}
