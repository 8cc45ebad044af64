import Foundation
import Glibc
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct ListeningFileTests {
        /// Prints the error number of a connection that another user of the machine tries.
        private static let otherUsersConnection = """
            import os, socket, sys
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            print(socket.socket(socket.AF_UNIX).connect_ex(sys.argv[1]))
            """

        private static func mode(of path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }

        @Test(
            "A node's socket is its user's alone, also in a folder that others may enter",
            arguments: [0o755, 0o770, 0o1777] as [mode_t])
        func ownOnly(folder mode: mode_t) async throws {
            let bus = Bus()
            try #require(chmod(bus.folder, mode) == 0)
            let path = bus.folder + "/central"
            let running = try await RunningNode(bus.node("central"))
            #expect(try Self.mode(of: path) == Int(ListeningFile.mode))
            try await running.stop()
            #expect(SocketFile(path) == .none)
        }

        @Test("Another user of the machine cannot connect", .enabled(if: geteuid() == 0))
        func otherUser() async throws {
            let bus = Bus()
            try #require(chmod(bus.folder, 0o1777) == 0)
            let path = bus.folder + "/central"
            try await bus.run(bus.node("central")) {
                #expect(try await Python.run(lines: Self.otherUsersConnection, path) == "\(EACCES)")
                // It is the mode that keeps it out: the path is within its reach.
                try #require(chmod(path, 0o666) == 0)
                #expect(try await Python.run(lines: Self.otherUsersConnection, path) == "0")
            }
        }

        @Test(
            "A child makes no link to a process of another user that listens in its parent's place",
            .enabled(if: geteuid() == 0))
        func stranger() async {
            await #expect(processExitsWith: .success) {
                let bus = Bus()
                let path = bus.folder + "/central"
                guard chmod(bus.folder, 0o1777) == 0, seteuid(65_533) == 0 else { exit(1) }
                // The kernel keeps the user that the process had when it began to listen.
                guard ListeningFile(at: path, backlog: 1) != nil else { exit(2) }
                guard seteuid(0) == 0, chmod(path, 0o666) == 0, seteuid(65_534) == 0 else {
                    exit(3)
                }
                let reactor = Reactor()
                let child = TestReceiver(reactor)
                try reactor.start()
                _ = try await child.connect(try Endpoint("ipc://\(path)"))
                let event = try await child.next {
                    if case .changed(.failed) = $0 { true } else { false }
                }
                guard case .changed(.failed(let reason)) = event,
                    reason.hasPrefix("a process of another user (65533) listens there")
                else { exit(4) }
                exit(0)
            }
        }

        /// What so many that listen at one path at the same time have made.
        private static func made(_ count: Int, at path: String) async -> [ListeningFile] {
            await withTaskGroup(
                of: ListeningFile?.self, returning: [ListeningFile].self
            ) { group in
                for _ in 0..<count {
                    group.addTask { ListeningFile.taking(path, backlog: 1) }
                }
                var files: [ListeningFile] = []
                for await file in group {
                    if let file { files.append(file) }
                }
                return files
            }
        }

        @Test(
            "Of those that start at one path one listens there, also where a socket was left",
            arguments: [false, true])
        func atOnce(isLeft: Bool) async throws {
            let bus = Bus()
            let path = bus.folder + "/central"
            for _ in 0..<50 {
                if isLeft { try StaleSocket.leave(at: path) }
                let files = await Self.made(8, at: path)
                #expect(files.count == 1)
                for file in files {
                    file.delete()
                    close(file.descriptor)
                }
                #expect(SocketFile(path) == .none)
            }
        }

        @Test("A folder that another process keeps locked is used all the same")
        func keptLock() throws {
            let bus = Bus()
            let path = bus.folder + "/central"
            let folder = open(bus.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(folder) }
            try #require(flock(folder, LOCK_EX) == 0)
            #expect(SocketFile.lockingFolder(of: path, attempts: 1) { true })
            #expect(SocketFile.lockingFolder(of: bus.folder + "/none/central") { true })
        }

        @Test("A socket of another user is named as the obstacle, save to root")
        func strangersSocket() throws {
            let path = Bus().folder + "/central"
            #expect(SocketFile.stranger(at: path, to: geteuid() + 1) == nil)
            try StaleSocket.leave(at: path)
            let reason = try #require(SocketFile.stranger(at: path, to: geteuid() + 1))
            #expect(reason.hasPrefix("a socket of another user (\(geteuid())) is there"))
            #expect(SocketFile.stranger(at: path) == nil)
            #expect(SocketFile.stranger(at: path, to: 0) == nil)
        }

        @Test("Only missing permission is a refusal, as long as nothing else keeps from connecting")
        func refusals() throws {
            let path = Bus().folder + "/central"
            #expect(SocketFile.refusal(at: path) == nil)
            try StaleSocket.leave(at: path)
            #expect(SocketFile.refusal(at: path) == nil)
            #expect(SocketFile.refusal(ENOENT) == nil)
            #expect(SocketFile.refusal(EACCES)?.hasPrefix("permission denied: ") == true)
        }

        @Test("A child that may not connect learns why", .enabled(if: geteuid() != 0))
        func refusedChild() async throws {
            let bus = Bus()
            let endpoint = try bus.endpoint("central")
            let reactor = Reactor()
            let child = TestReceiver(reactor)
            try await bus.run(bus.node("central")) {
                try #require(chmod(bus.folder + "/central", 0) == 0)
                let reason = try #require(SocketFile.refusal(at: bus.folder + "/central"))
                let socket = try await child.connect(endpoint)
                _ = try await child.next { $0 == .changed(.failed(reason)) }
                await child.close(socket)
            }
        }

        @Test("A file in its place is neither replaced nor deleted")
        func otherFile() throws {
            let bus = Bus()
            let path = bus.folder + "/central"
            let first = try #require(ListeningFile(at: path, backlog: 1))
            #expect(ListeningFile(at: path, backlog: 1) == nil)
            #expect(SocketFile(path) == .live)
            try #require(rename(path, path + "-1") == 0)
            let second = try #require(ListeningFile(at: path, backlog: 1))
            first.delete()
            #expect(SocketFile(path) == .live)
            second.delete()
            #expect(SocketFile(path) == .none)
            close(first.descriptor)
            close(second.descriptor)
        }
    }
}
