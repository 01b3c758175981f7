import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Jackson's tree, with the defaults of ObjectMapper. Of equal keys the last one counts. */
public final class ReadJackson {
  private static JsonNode child(JsonNode value, String name) {
    if (value == null) return null;
    if (!value.isArray()) return value.get(name);
    return name.chars().allMatch(c -> c >= '0' && c <= '9') ? value.get(Integer.parseInt(name)) : null;
  }

  private static void show(JsonNode value, StringBuilder out, boolean nested) {
    if (value == null || value.isNull()) {
      out.append('-');
    } else if (value.isTextual()) {
      out.append('s').append(HexFormat.of().formatHex(value.textValue().getBytes(StandardCharsets.UTF_8)));
    } else if (value.isNumber()) {
      out.append(String.format("n%016x", Double.doubleToRawLongBits(value.doubleValue())));
      if (value.isIntegralNumber() && value.canConvertToLong()) out.append(':').append(value.longValue());
    } else if (value.isBoolean()) {
      out.append(value.booleanValue() ? 't' : 'f');
    } else if (value.isObject()) {
      out.append('{');
    } else {
      out.append('[');
      for (int i = 0; !nested && i < value.size(); i++) {
        if (i > 0) out.append(',');
        show(value.get(i), out, true);
      }
      out.append(']');
    }
  }

  private static String values(ObjectMapper mapper, byte[] text, String[] places) {
    JsonNode root;
    try {
      root = mapper.readTree(text);
    } catch (IOException e) {
      return "refused";
    }
    StringBuilder out = new StringBuilder();
    for (String place : places) {
      JsonNode value = root;
      for (String name : place.substring(1).split("/")) value = child(value, name);
      if (out.length() > 0) out.append('\t');
      show(value, out, false);
    }
    return out.toString();
  }

  public static void main(String[] places) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
    while (true) {
      byte[] text;
      try {
        text = new byte[in.readInt()];
      } catch (EOFException e) {
        return;
      }
      in.readFully(text);
      out.print(values(mapper, text, places) + "\n");
      out.flush();
    }
  }
}
