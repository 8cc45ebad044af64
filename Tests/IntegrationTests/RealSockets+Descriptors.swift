import Dispatch
import ErrorBusTesting
import Glibc
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Each in a process of its own, which then has next to no descriptors left: what a node
    /// cannot have is an error, and the process that it is linked into goes on.
    @Suite struct DescriptorTests {
        /// So many more than there are now.
        ///
        /// As it begins, and then once a second, libdispatch opens a file for each of its busy
        /// threads, and ends the process where it cannot: that is not what is tested. Its first
        /// time is over once a later timer has fired.
        static func leave(_ count: Int) async {
            let timer = DispatchSource.makeTimerSource()
            await withCheckedContinuation { continuation in
                timer.setEventHandler { continuation.resume() }
                timer.schedule(deadline: .now())
                timer.activate()
            }
            timer.cancel()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
            setrlimit(resource, &limit)
            let free = dup(STDERR_FILENO)
            close(free)
            limit.rlim_cur = rlim_t(free + CInt(count))
            setrlimit(resource, &limit)
        }

        @Test("A status request without descriptors fails with the reason")
        func status() async {
            await #expect(processExitsWith: .success) {
                let endpoint = try Endpoint("tcp://127.0.0.1:9")
                for count in [0, 4, 12] {
                    await DescriptorTests.leave(count)
                    let result = await NodeStatus.ask([endpoint], within: .milliseconds(200))
                    guard case .failure(.unreachable(let reason))? = result.first,
                        reason.contains("Too many open files")
                    else { exit(1) }
                }
                exit(0)
            }
        }

        @Test("F36 A reactor that listens reports that it has no descriptor left")
        func listening() async {
            await #expect(processExitsWith: .success) {
                let reactor = Reactor()
                let parent = TestReceiver(reactor)
                try reactor.start()
                _ = try await parent.listen(try Endpoint("tcp://127.0.0.1:*"))
                await DescriptorTests.leave(0)
                _ = try await parent.next { $0 == .failed(.noDescriptors) }
                exit(0)
            }
        }

        @Test("A node without descriptors does not run, with the reason; its presentations end")
        func node() async {
            await #expect(processExitsWith: .success) {
                let parent = try Endpoint("tcp://127.0.0.1:9")
                for count in [0, 4, 12] {
                    var settings = NodeSettings(name: "worker")
                    settings.listen = [try Endpoint("tcp://127.0.0.1:*")]
                    settings.whenUnreachable = .fail
                    settings.grace = .milliseconds(100)
                    let parts = NodeParts(logger: .silent)
                    let node = Node(settings, parents: [parent], parts: parts)
                    await DescriptorTests.leave(count)
                    if count == 0 {
                        let outcome = await node.uplink.presentError(Attempts().saveFailed())
                        guard !outcome.didRecover else { exit(1) }
                    }
                    do {
                        try await node.run()
                        exit(2)
                    } catch NodeError.transport(let error) {
                        guard error.reason == "Too many open files" else { exit(3) }
                    }
                }
                exit(0)
            }
        }
    }
}
