import Hummingbird
import Logging
import NIOCore

/// One request: what the routes know of it beside itself.
struct ConsoleContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// Host and port, and the host alone.
    let peer: String
    let peerHost: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peerHost = channel.peerHost
        peer = "\(peerHost):\(channel.remoteAddress?.port ?? 0)"
    }
}

extension Channel {
    /// The address of who is at the other end, without the port.
    var peerHost: String { remoteAddress?.ipAddress ?? "?" }
}
