import ErrorBus

/// The proxies of this process, by name.
actor ProxyRegistry {
    /// Proxies at a time.
    static let proxyCountMax = 256

    private var proxies: [String: FaultProxy] = [:]
    private let seed: UInt64

    init(seed: UInt64) { self.seed = seed }

    var all: [FaultProxy] { proxies.sorted { $0.key < $1.key }.map(\.value) }

    func proxy(_ name: String) throws(ProxyProblem) -> FaultProxy {
        guard let proxy = proxies[name] else { throw .notFound("no proxy \(name.shown())") }
        return proxy
    }

    /// Makes a proxy, up unless said otherwise.
    @discardableResult
    func create(
        _ name: String, listen: Endpoint, connect: Endpoint, isEnabled: Bool = true
    ) async throws(ProxyProblem) -> FaultProxy {
        guard proxies[name] == nil else { throw .conflict("there is a proxy \(name) already") }
        guard proxies.count < Self.proxyCountMax else {
            throw .badRequest("there are \(proxies.count) proxies, the most allowed")
        }
        let proxy = try FaultProxy(
            name, listen: listen, connect: connect, seed: SeededGenerator.seed(seed, part: name))
        // Before anything is waited for, so that a second request of that name finds it.
        proxies[name] = proxy
        do {
            try await proxy.setEnabled(isEnabled)
        } catch {
            proxies[name] = nil
            throw error
        }
        return proxy
    }

    func remove(_ name: String) async throws(ProxyProblem) {
        let proxy = try proxy(name)
        try await proxy.setEnabled(false)
        proxies[name] = nil
    }

    /// All up, without toxics.
    func reset() async throws(ProxyProblem) {
        for proxy in all { try await proxy.reset() }
    }

    func closeAll() async {
        for proxy in all { try? await proxy.setEnabled(false) }
        proxies = [:]
    }
}
