import HTTPTypes
import Hummingbird

/// The page and its parts, as they are in this binary, and what a browser may do with them.
struct ConsolePage: Sendable {
    /// Nothing from elsewhere, nothing inline, no frame around it.
    static let contentSecurityPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self' data:", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static let door = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>ErrorBus console: token needed</title>
        <h1>This console needs its token</h1>
        <p>Open the address that bus-node printed when it started, or enter the token:</p>
        <form method="get" action="/">
        <label>Token <input name="token" type="password" autocomplete="off" required></label>
        <button>Open</button>
        </form>
        </html>

        """

    var html: Response { Self.file(PackageResources.console_html, "text/html; charset=utf-8") }
    var styles: Response { Self.file(PackageResources.page_css, "text/css; charset=utf-8") }
    var script: Response { Self.file(PackageResources.page_js, "text/javascript; charset=utf-8") }

    var doorResponse: Response {
        var response = Self.file(Array(Self.door.utf8), "text/html; charset=utf-8")
        response.status = .unauthorized
        response.headers[.wwwAuthenticate] = "Bearer"
        return response
    }

    private static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    func protect(_ response: inout Response) {
        let headers = [
            "Content-Security-Policy": Self.contentSecurityPolicy,
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store", "X-Frame-Options": "DENY",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
    }
}
