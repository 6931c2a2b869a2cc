// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html_style.h"

namespace opscope::report {

namespace {

constexpr std::string_view kColours = R"css(
:root{color-scheme:light dark;--window:#F2F3F6;--base:#FFFFFF;--alternate:#F7F8FA;--line:#D6DAE1;--control:#7E8797;
--grid:#E6E9EE;--text:#1A1E26;--second:#474F5E;--third:#626B7B;--accent:#1B5FC1;--hover:#E9F0FB;--warning:#7A5200;
--warningback:#FFF5DB;--error:#B3192B;--errorback:#FCEBEC;--edge:rgba(0,0,0,.30);--indigo-line:#594BC8}
@media (prefers-color-scheme:dark){:root{--window:#1E2127;--base:#16181D;--alternate:#1B1E24;--line:#363B45;
--control:#6E7787;--grid:#2A2E36;--text:#E7EAF0;--second:#B4BBC8;--third:#939CAB;--accent:#7DB0FF;--hover:#242A35;
--warning:#F2C14E;--warningback:#362C14;--error:#FF8A8F;--errorback:#3A1F23;--edge:rgba(255,255,255,.38);
--indigo-line:#6D61CF}}
)css";

constexpr std::string_view kPage = R"css(*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;padding:24px 16px 32px;background:var(--window);color:var(--text);
font:13px/18px Inter,system-ui,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1160px;margin:0 auto}
h1{margin:0;font-size:20px;line-height:28px;font-weight:600;overflow-wrap:anywhere}
h2{margin:0;padding:12px;font-size:15px;line-height:20px;font-weight:600}
h2 small{font-size:12px;font-weight:400;color:var(--second);margin-left:8px}
p{margin:0}
.under{margin:2px 0 16px;color:var(--second);overflow-wrap:anywhere}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:12px}
.panel{background:var(--base);border:1px solid var(--line);border-radius:4px;margin:0 0 12px;min-width:0}
.card{padding:12px;margin:0}
.card b{display:block;font-size:12px;line-height:16px;font-weight:600;color:var(--second)}
.card strong{display:block;font-size:26px;line-height:32px;font-weight:600;margin:2px 0}
.card strong small{font-size:13px;font-weight:400;color:var(--second);margin-left:4px}
.card span{font-size:12px;line-height:16px;color:var(--second)}
.cards+.panel,.cards+.two{margin-top:12px}
.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 12px}
.two>.wide{grid-column:1/-1}.two>.tall{grid-row:span 2}
@media (max-width:900px){.two{grid-template-columns:minmax(0,1fr)}}
.note{border-top:1px solid var(--line);padding:10px 12px 10px 36px;position:relative;overflow-wrap:anywhere}
.note::before{content:"!";position:absolute;left:12px;top:11px;width:15px;height:15px;border:1.3px solid var(--warning);
border-radius:50%;color:var(--warning);font:600 11px/13px inherit;line-height:13px;text-align:center;font-size:11px}
.note.failed::before{color:var(--error);border-color:var(--error)}
.note b{font-weight:600}.note span{display:block;color:var(--second);font-size:12px;line-height:16px}
)css";

constexpr std::string_view kCharts = R"css(.chart{padding:0 12px 12px;overflow-x:auto}
svg{display:block;width:100%;height:auto;font:11px Inter,system-ui,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;
font-variant-numeric:tabular-nums}
.wide .chart svg{max-width:680px}
svg text{fill:var(--text)}svg .t{fill:var(--second)}
svg .g{stroke:var(--grid);stroke-width:1}svg .a{stroke:var(--control);stroke-width:1}
svg .m{stroke:var(--text);stroke-width:1.5}svg .d{stroke-dasharray:4 3}
svg .halo{stroke:var(--base);stroke-width:4;fill:none}svg .run{stroke:var(--text);stroke-width:1.5;fill:none}
svg .dot{fill:var(--base);stroke:var(--text);stroke-width:1.3}
svg .acc{stroke:var(--accent);stroke-width:1.5;fill:none}svg .accdot{fill:var(--accent)}
svg .area{fill:var(--accent);fill-opacity:.18;stroke:none}
svg .rest{fill:none;stroke:var(--control);stroke-dasharray:3 2}
svg .tick{stroke:var(--text);stroke-width:1}
.e{stroke:var(--edge);stroke-width:1}
.k0{fill:#E70565;background:#E70565}.k1{fill:#A8B29F;background:#A8B29F}.k2{fill:#594BC8;background:#594BC8}
.k3{fill:#D0AE2A;background:#D0AE2A}.k4{fill:#434C39;background:#434C39}.k5{fill:#318373;background:#318373}
.k6{fill:#B075FA;background:#B075FA}.k7{fill:#8A0F65;background:#8A0F65}.k8{fill:#746305;background:#746305}
.k9{fill:#52BFC9;background:#52BFC9}.k10{fill:#434C39;background:#434C39}
svg text.i0,svg text.i2,svg text.i4,svg text.i5,svg text.i7,svg text.i8,svg text.i10{fill:#FFF}
svg text.i1,svg text.i3,svg text.i6,svg text.i9{fill:#101216}
)css";

constexpr std::string_view kTables = R"css(.stack{display:flex;height:22px;margin:0 12px 12px}
.stack i{display:block;min-width:1px;box-shadow:inset 0 0 0 1px var(--edge)}
.stack i.between{background:none;box-shadow:none;border:1px dashed var(--control)}
.legend{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:4px 24px;padding:0 12px 12px;margin:0;
list-style:none}
.legend li{display:flex;gap:8px;align-items:baseline}.legend li>span:nth-child(2){flex:1}
.legend em{font-style:normal;color:var(--second);min-width:64px;text-align:right}
.swatch{display:inline-block;width:10px;height:10px;border-radius:2px;box-shadow:inset 0 0 0 1px var(--edge);flex:none}
.swatch.between{background:none;box-shadow:none;border:1px dashed var(--control)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{padding:3px 8px;text-align:left;vertical-align:top;white-space:nowrap}
th{font-size:12px;line-height:16px;font-weight:600;background:var(--window);border-bottom:1px solid var(--line);
padding:5px 8px;position:sticky;top:0}
td.n,th.n{text-align:right}
tbody tr:nth-child(even){background:var(--alternate)}tbody tr:hover{background:var(--hover)}
td.name{white-space:normal;overflow-wrap:anywhere;min-width:210px;padding-left:26px}
td.shapes{max-width:150px;overflow:hidden;text-overflow:ellipsis;color:var(--second)}
td .swatch{float:left;margin:4px 0 0 -18px}
td.share{min-width:76px;padding-top:7px}.bar{display:block;height:10px;min-width:1px;box-shadow:inset 0 0 0 1px var(--edge)}
.foot{padding:8px 12px;color:var(--second);border-top:1px solid var(--line)}
th button{all:unset;cursor:pointer;font:inherit}th button:hover{color:var(--accent)}
th button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
th[aria-sort] button::after{content:" ▾"}th[aria-sort=ascending] button::after{content:" ▴"}
.tools{display:flex;gap:12px;align-items:center;padding:0 12px 12px;color:var(--second)}
.tools input{height:28px;flex:0 1 320px;min-width:0;padding:0 10px;border:1px solid var(--control);border-radius:4px;
background:var(--base);color:var(--text);font:inherit}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:4px 16px;margin:0;padding:0 12px 12px}
dt{color:var(--second)}dd{margin:0;text-align:right;overflow-wrap:anywhere}
footer{color:var(--third);font-size:12px}
)css";

constexpr std::string_view kNarrowAndPaper =
    R"css(@media (max-width:600px){body{padding:16px 8px}dl{grid-template-columns:minmax(0,1fr)}dd{text-align:left;margin-bottom:4px}
.legend{grid-template-columns:minmax(0,1fr)}svg{min-width:560px}.timeline svg{min-width:900px}}
@media print{:root{color-scheme:light;--window:#FFF;--base:#FFF;--alternate:#F7F8FA;--line:#D6DAE1;--control:#7E8797;
--grid:#E6E9EE;--text:#1A1E26;--second:#474F5E;--third:#626B7B;--accent:#1B5FC1;--hover:#FFF;--warning:#7A5200;
--error:#B3192B;--edge:rgba(0,0,0,.30)}
body{padding:0;font-size:10pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}.tools{display:none}
td.shapes{white-space:normal;max-width:none}
.panel,tr,.note{break-inside:avoid}.panel.long{break-inside:auto}th{position:static}.scroll{overflow:visible}
td,th{font-size:8pt;padding:2px 4px}}
)css";

}  // namespace

std::string htmlStyle() {
  std::string style;
  for (const std::string_view part : {kColours, kPage, kCharts, kTables, kNarrowAndPaper}) style += part;
  return style;
}

std::string_view htmlScript() {
  return R"js(
(function(){
var table=document.getElementById('ops');if(!table)return;
var body=table.tBodies[0],rows=Array.prototype.slice.call(body.rows);
function value(row,column){var cell=row.cells[column],v=cell.getAttribute('data-v');
return v===null?cell.textContent.toLowerCase():v===''?null:+v}
Array.prototype.forEach.call(table.tHead.rows[0].cells,function(head,column){
if(!head.textContent)return;
var button=document.createElement('button');button.textContent=head.textContent;head.textContent='';
head.appendChild(button);
button.onclick=function(){
var number=head.className==='n',now=head.getAttribute('aria-sort');
var up=now?now==='descending':!number;
Array.prototype.forEach.call(table.tHead.rows[0].cells,function(other){other.removeAttribute('aria-sort')});
head.setAttribute('aria-sort',up?'ascending':'descending');
rows.sort(function(a,b){var x=value(a,column),y=value(b,column);
if(x===y)return 0;if(x===null)return 1;if(y===null)return -1;return (x<y?-1:1)*(up?1:-1)});
var all=document.createDocumentFragment();rows.forEach(function(row){all.appendChild(row)});body.appendChild(all)}});
var tools=document.createElement('div'),field=document.createElement('input'),told=document.createElement('span');
tools.className='tools';field.type='search';field.placeholder='Filter by name, shape or device';
field.setAttribute('aria-label',field.placeholder);told.setAttribute('aria-live','polite');
tools.appendChild(field);tools.appendChild(told);
var box=document.getElementById('opsbox');box.parentNode.insertBefore(tools,box);
field.oninput=function(){var words=field.value.toLowerCase().split(/\s+/).filter(Boolean),shown=0;
rows.forEach(function(row){var text=row.textContent.toLowerCase();
var hit=words.every(function(word){return text.indexOf(word)>=0});row.hidden=!hit;if(hit)shown++});
told.textContent=words.length?shown+' of '+rows.length+' rows':''};
})();
)js";
}

std::string_view kindClass(OpKind kind) {
  switch (kind) {
    case OpKind::Memory:
      return "k0";
    case OpKind::Vm:
      return "k1";
    case OpKind::Convolution:
      return "k2";
    case OpKind::MatrixProduct:
      return "k3";
    case OpKind::Attention:
      return "k4";
    case OpKind::Normalisation:
      return "k5";
    case OpKind::Pooling:
      return "k6";
    case OpKind::Reduction:
      return "k7";
    case OpKind::DataMovement:
      return "k8";
    case OpKind::Elementwise:
      return "k9";
    case OpKind::Other:
      return "k10";
  }
  return "k10";
}

}  // namespace opscope::report
