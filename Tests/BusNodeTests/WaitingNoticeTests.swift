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

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }
}
