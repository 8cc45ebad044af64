import Foundation
import Testing

@testable import BusLab
@testable import BusNodeKit

struct SVGCanvasTests {
    @Test("Text cannot leave its place in the picture")
    func escaping() {
        let canvas = SVGCanvas(left: 0, right: 100, span: 10)
        let text = canvas.text("<script>&\"", x: 0, y: 0, size: 10)
        #expect(text.contains("&lt;script&gt;&amp;&quot;"))
    }

    @Test("Times outside the span stay inside the picture", arguments: [-5.0, 0, 5, 10, 99])
    func clamping(time: Double) {
        let canvas = SVGCanvas(left: 20, right: 120, span: 10)
        #expect((20.0...120).contains(canvas.x(time)))
    }

    @Test("A picture is well-formed XML, even when empty", arguments: [0, 1, 5_000])
    func wellFormed(count: Int) {
        let canvas = SVGCanvas(left: 20, right: 120, span: 10)
        let curve = SVGCanvas.Curve(
            name: "a<b", color: "#000", times: (0..<count).map { Double($0) / 500 })
        var parts = [canvas.header(width: 100, height: 100)]
        parts += canvas.grid(from: 0, to: 50)
        parts += canvas.chart([curve], top: 0, height: 50)
        parts += [canvas.cross(at: 1, y: 1, color: "#000"), "</svg>"]
        let svg = parts.joined(separator: "\n")
        #expect(svg.count < 60_000)
        let opened = svg.matches(of: /<[a-z]/).count
        let closed = svg.matches(of: /\/>|<\//).count
        #expect(opened == closed)
    }
}
